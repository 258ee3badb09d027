package io.fdt.client.directed;

import io.fdt.client.DeletedName;
import io.fdt.client.DoneFile;
import io.fdt.client.FileProblem;
import io.fdt.client.FoundFile;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferProgress;
import io.fdt.client.TransferReport;
import io.fdt.core.engine.HostThreads;
import io.fdt.core.engine.meter.Observations;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.unit.Backoff;
import io.fdt.core.wire.DeletionMessages;
import io.fdt.core.wire.FiguresCoding;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.AttachRun;
import io.fdt.core.wire.control.CancelRun;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.RunDescription;
import io.fdt.core.wire.control.RunEnded;
import io.fdt.core.wire.control.RunEvent;
import io.fdt.core.wire.control.RunEvents;
import io.fdt.core.wire.control.RunFile;
import io.fdt.core.wire.control.RunProgress;
import io.fdt.core.wire.control.RunState;
import io.fdt.core.wire.control.SkippedEntry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Follows a session that a server runs with another one: forwards its events to a listener, and
 * reattaches when the connection is lost.
 *
 * <pre>
 *   FOLLOWING -- connection lost --> ATTACHING (with growing pauses) -- too long, or unknown --> ENDED
 *      ^  '-- RunEnded --> ENDED         '-- RunAttached --.
 *      '---------------------------------------------------'
 * </pre>
 *
 * <p>{@link #progress}, {@link #report} and {@link #cancel}: any thread; the rest is for one
 * thread.
 */
public final class RunFollower {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration LAST_PAUSE = Duration.ofSeconds(5);

  /** Reasons for which the server that runs the session may be temporarily unavailable. */
  private static final Set<ErrorCode> PASSING =
      EnumSet.of(ErrorCode.UNREACHABLE, ErrorCode.TIMEOUT, ErrorCode.BUSY);

  /** Receives internal events. */
  public interface Owner {
    /** Both servers have accepted the session. */
    void agreed() throws FdtException;

    /** Another message has arrived, at least once a second. */
    default void received(Director server) {}

    /** The server no longer needs this client. */
    default void detached() {}

    /** The session has ended, and the server keeps the outcome. */
    default void ended() {}
  }

  private final DirectedEnd end;
  private final TransferListener listener;
  private final Duration patience;
  private final List<FileProblem> problems = Collections.synchronizedList(new ArrayList<>());
  private final HostThreads threads;
  private final long startNanos;
  private volatile RunProgress progress = RunProgress.getDefaultInstance();
  private volatile String construction = "";
  private volatile Duration before = Duration.ZERO;
  private volatile Duration ended;
  private volatile boolean lost;
  private long eventsSeen;
  private volatile String id = "";

  // Guarded by this.
  private Director server;
  private HostThreads.Started follower;
  private boolean cancelled;

  /**
   * @param end the server that runs the session
   * @param patience how long to reconnect
   */
  public RunFollower(DirectedEnd end, TransferListener listener, Duration patience) {
    this.end = end;
    this.listener = listener;
    this.patience = patience;
    this.threads = end.dialer().node().threads();
    this.startNanos = threads.nanoTime();
  }

  /** Records the request of this client. */
  void asked(SessionId session, String construction) {
    this.id = session.toString();
    this.construction = construction;
  }

  /** Whether another session may continue this one: its peer, or its server, has lost it. */
  public boolean isLost() {
    return lost;
  }

  /** The id of the session. */
  String id() {
    return id;
  }

  /**
   * Attaches to a session of another client.
   *
   * @param digits first digits of its id
   * @return its description
   */
  public RunDescription attach(Director opened, String digits)
      throws FdtException, InterruptedException {
    opened.send(Control.newBuilder().setAttachRun(AttachRun.newBuilder().setId(digits)));
    RunDescription what = attached(opened);
    asked(RemoteSessions.id(what), MessageText.received(what.getConstruction()));
    progress = what.getProgress();
    before = Duration.ofMillis(Math.max(0, what.getElapsedMillis()));
    if (what.getState() == RunState.RUN_ENDED) {
      ended = before;
    }
    return what;
  }

  /** The answer to AttachRun. */
  private RunDescription attached(Director opened) throws FdtException, InterruptedException {
    Control answer = opened.next();
    if (!answer.hasRunAttached()) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "unexpected message "
              + answer.getBodyCase()
              + ", expected the description of the session");
    }
    long missed = answer.getRunAttached().getMissed();
    if (missed > 0) {
      listener.notice(
          "%d events happened while the connection was away: they are counted, not listed"
              .formatted(missed));
    }
    return answer.getRunAttached().getRun();
  }

  /**
   * Follows the session to its end.
   *
   * @param opened the connection that started it or attached to it
   * @return the failure of the session; null when it completed
   * @throws FdtException the connection to the session is lost permanently
   */
  public FdtException follow(Director opened, Owner owner)
      throws FdtException, InterruptedException {
    Director current = opened;
    try {
      while (true) {
        use(current);
        Control message;
        try {
          message = current.next();
        } catch (FdtException e) {
          if (e.code() != ErrorCode.UNREACHABLE && e.code() != ErrorCode.TIMEOUT) {
            throw e;
          }
          current.close();
          current = attachAgain(e);
          continue;
        }
        switch (message.getBodyCase()) {
          case RUN_EVENTS -> {
            handle(message.getRunEvents(), owner);
            owner.received(current);
          }
          case RUN_ENDED -> {
            owner.ended();
            return ended(message.getRunEnded());
          }
          case RUN_DETACHED -> {
            owner.detached();
            return null;
          }
          case PEER_PROBED -> {} // a late answer to an earlier request
          default ->
              throw new FdtException(
                  ErrorCode.PROTOCOL,
                  "unexpected message " + message.getBodyCase() + " during a session");
        }
      }
    } finally {
      use(null);
      current.close();
    }
  }

  /** Sets the target of a cancellation: a connection, or null while reconnecting. */
  private synchronized void use(Director current) {
    server = current;
    follower = threads.current();
    if (cancelled && current != null) {
      current.send(cancellation());
    }
  }

  private Director attachAgain(FdtException cause) throws FdtException, InterruptedException {
    lost = patience.isZero(); // the server ends it at once
    if (lost) {
      throw cause;
    }
    synchronized (this) {
      server = null;
      if (cancelled) {
        throw new InterruptedException();
      }
    }
    listener.notice(cause.getMessage() + ": trying again");
    long deadline = threads.nanoTime() + patience.toNanos();
    Backoff pauses = new Backoff(FIRST_PAUSE, LAST_PAUSE);
    FdtException last = cause;
    while (threads.nanoTime() - deadline < 0) {
      threads.sleep(pauses.nextNanos(threads::random));
      try {
        return reattached();
      } catch (FdtException e) {
        if (e.code() == ErrorCode.NOT_FOUND) {
          lost = true;
          throw new FdtException(
              ErrorCode.UNREACHABLE,
              end.dialer().host() + ":" + end.dialer().port() + " was restarted",
              e);
        }
        if (!PASSING.contains(e.code())) {
          throw e;
        }
        last = e;
      }
    }
    throw new FdtException(
        ErrorCode.UNREACHABLE,
        "%s:%d is gone and did not come back within %d s: %s"
            .formatted(
                end.dialer().host(), end.dialer().port(), patience.toSeconds(), last.getMessage()));
  }

  private Director reattached() throws FdtException, InterruptedException {
    Director opened = Director.open(end);
    boolean isGood = false;
    try {
      opened.send(
          Control.newBuilder()
              .setAttachRun(AttachRun.newBuilder().setId(id).setHeardPlusOne(eventsSeen + 1)));
      RunDescription unused = attached(opened);
      isGood = true;
    } finally {
      if (!isGood) {
        opened.close();
      }
    }
    listener.notice("the connection to " + opened.name() + " is back");
    return opened;
  }

  private FdtException ended(RunEnded end) {
    progress = end.getProgress();
    lost = end.getLost();
    return end.getCode() == 0
        ? null
        : new FdtException(
            ErrorCode.ofWireCode(end.getCode()), MessageText.received(end.getMessage()));
  }

  private void handle(RunEvents events, Owner owner) throws FdtException {
    if (events.hasProgress()) { // only newer events
      progress = events.getProgress();
    }
    eventsSeen = Math.max(eventsSeen, events.getEventCount());
    for (RunEvent event : events.getEventsList()) {
      handle(event, owner);
    }
  }

  private void handle(RunEvent event, Owner owner) throws FdtException {
    switch (event.getWhatCase()) {
      case AGREED -> owner.agreed();
      case NOTICE -> listener.notice(MessageText.received(event.getNotice()));
      case OBSERVED -> listener.observed(Observations.decode(event.getObserved()));
      case PROBLEM -> problem(event.getProblem());
      case DELETED ->
          listener.deleted(
              new DeletedName(
                  MessageText.receivedPath(event.getDeleted().getPath()),
                  Optional.ofNullable(DeletionMessages.kindOf(event.getDeleted().getKind())),
                  event.getPretended()));
      case DONE -> {
        RunFile file = event.getDone();
        listener.fileDone(
            new DoneFile(
                () -> path(file),
                size(file.getSize()),
                file.getResumed(),
                construction,
                file.getDigest().toByteArray()));
      }
      case UNCHANGED -> {
        RunFile file = event.getUnchanged();
        listener.fileUnchanged(
            FoundFile.unchanged(() -> path(file), size(file.getSize()), file.getNewer()));
      }
      case DUE -> {
        RunFile file = event.getDue();
        listener.fileDue(
            new FoundFile(
                () -> path(file),
                size(file.getSize()),
                size(file.getToMove()),
                file.getReplaces()));
      }
      case WHAT_NOT_SET -> {} // of a later release
    }
  }

  private void problem(SkippedEntry entry) {
    FileProblem problem =
        new FileProblem(
            MessageText.receivedPath(entry.getPath()),
            entry.getSkipped(),
            ErrorCode.ofWireCode(entry.getCode()),
            MessageText.received(entry.getMessage()));
    if (TransferReport.keeps(problem, problems.size())) {
      problems.add(problem);
    }
    listener.problem(problem);
  }

  private static String path(RunFile file) {
    return MessageText.receivedPath(file.getPathBytes());
  }

  private static long size(long size) throws FdtException {
    if (size < 0) {
      throw new FdtException(ErrorCode.PROTOCOL, "the server sent a negative size of a file");
    }
    return size;
  }

  /** The server ends the session, and reports its progress. */
  public synchronized void cancel() {
    cancelled = true;
    if (server != null) {
      server.send(cancellation());
    } else if (follower != null) {
      follower.interrupt();
    }
  }

  private static Control.Builder cancellation() {
    return Control.newBuilder().setCancelRun(CancelRun.getDefaultInstance());
  }

  /**
   * The outcome.
   *
   * @param failure null when it completed
   */
  public TransferReport report(FdtException failure) {
    return new TransferReport(
        id.isEmpty() ? "" : id.substring(0, 8),
        Optional.ofNullable(failure).map(FdtException::code),
        failure == null ? "" : failure.getMessage(),
        FiguresCoding.decode(progress),
        construction,
        elapsed(),
        List.copyOf(problems));
  }

  private Duration elapsed() {
    Duration whole = ended;
    return whole != null ? whole : before.plus(Duration.ofNanos(threads.nanoTime() - startNanos));
  }

  public TransferProgress progress() {
    RunProgress p = progress;
    return new TransferProgress(
        FiguresCoding.decode(p),
        p.getStreams(),
        elapsed(),
        Duration.ofMillis(p.getStalledMillis()),
        MessageText.received(p.getCurrent()));
  }
}
