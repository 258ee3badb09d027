package io.fdt.client;

import com.google.protobuf.ByteString;
import io.fdt.core.engine.Observations;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.node.DialedSession;
import io.fdt.core.security.Background;
import io.fdt.core.spec.SessionDeadlines;
import io.fdt.core.wire.DeletionMessages;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.CancelRun;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.OpenSession;
import io.fdt.core.wire.control.PeerProbed;
import io.fdt.core.wire.control.PrepareSession;
import io.fdt.core.wire.control.ProbePeer;
import io.fdt.core.wire.control.RateLimit;
import io.fdt.core.wire.control.RunEnded;
import io.fdt.core.wire.control.RunEvent;
import io.fdt.core.wire.control.RunEvents;
import io.fdt.core.wire.control.RunFile;
import io.fdt.core.wire.control.RunProgress;
import io.fdt.core.wire.control.RunSession;
import io.fdt.core.wire.control.SkippedEntry;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One session between two servers, which this client directs: the data goes from one to the other.
 * One of them dials the other: the source if it reaches the destination, otherwise the destination.
 *
 * <pre>
 *   CONNECTING -> PROBING -> PREPARING (the one that is dialled gives a ticket) -> RUNNING -> ENDED
 * </pre>
 *
 * <p>Methods of {@link Transfer} may be called on any thread; all else happens on a thread of its
 * own.
 */
final class DirectedSession implements SessionOfTransfer {
  private static final Logger LOG = LoggerFactory.getLogger(DirectedSession.class);

  /** A day: more is no round trip. */
  private static final long MOST_ROUND_TRIP_MICROS = TimeUnit.DAYS.toMicros(1);

  private final DirectedEnd source;
  private final DirectedEnd destination;
  private final TransferPlan pull;
  private final TransferPlan push;
  private final TransferListener listener;
  private final Runnable whenAgreed;
  private final SessionId id = SessionId.random(new SecureRandom());
  private final byte[] secret = DialedSession.newSecret();
  private final long startNanos = System.nanoTime();
  private final CompletableFuture<TransferReport> completion = new CompletableFuture<>();
  private final List<FileProblem> problems = Collections.synchronizedList(new ArrayList<>());
  private final Thread thread = new Thread(this::direct, "fdt-" + id.shortName() + "-direct");
  private volatile RunProgress progress = RunProgress.getDefaultInstance();
  private volatile boolean agreed;
  private Duration roundTrip = Duration.ZERO;
  private long toldRate;
  private volatile boolean lost;

  // Guarded by this.
  private Director running;
  private boolean cancelled;

  /**
   * @param request between two servers
   * @param whenAgreed run when both servers have agreed to the session
   */
  DirectedSession(
      DirectedEnd source,
      DirectedEnd destination,
      TransferRequest request,
      TransferListener listener,
      Runnable whenAgreed) {
    this.source = source;
    this.destination = destination;
    this.pull = TransferPlan.of(request.as(TransferRequest.Direction.PULL));
    this.push = TransferPlan.of(request.as(TransferRequest.Direction.PUSH));
    this.toldRate = push.limit().bytesPerSecond();
    this.listener = listener;
    this.whenAgreed = whenAgreed;
    thread.setDaemon(true);
  }

  @Override
  public void start() {
    thread.start();
  }

  private void direct() {
    FdtException failure = null;
    try {
      failure = run();
    } catch (FdtException e) {
      failure = e;
    } catch (InterruptedException e) {
      failure = new FdtException(ErrorCode.CANCELLED, "cancelled by the client", e);
    } catch (RuntimeException | Error e) { // whoever waits must hear of it
      failure = FdtException.unforeseen("the transfer failed", e);
    }
    completion.complete(report(failure));
  }

  /** Returns why it failed; null when it came to its end. */
  private FdtException run() throws FdtException, InterruptedException {
    CompletableFuture<Director> opening =
        Background.run(thread.getName() + "-to", () -> Director.open(destination));
    try {
      Director from = Director.open(source);
      try {
        return run(from, opened(opening));
      } finally {
        from.close();
      }
    } finally {
      opening.thenAccept(Director::close);
    }
  }

  private static Director opened(CompletableFuture<Director> opening)
      throws FdtException, InterruptedException {
    try {
      return opening.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof FdtException known
          ? known
          : FdtException.unforeseen("the transfer failed", e.getCause());
    }
  }

  private FdtException run(Director from, Director to) throws FdtException, InterruptedException {
    boolean sourceDials = sourceDials(from, to);
    Director dialing = sourceDials ? from : to;
    Director accepting = sourceDials ? to : from;
    TransferPlan ofSource = over(pull);
    TransferPlan ofDestination = over(push);
    OpenSession own = (sourceDials ? ofSource : ofDestination).open();
    OpenSession peer =
        (sourceDials ? ofDestination : ofSource)
            .open().toBuilder().setEncrypted(source.dialer().encryptsData()).build();
    accepting.send(
        Control.newBuilder()
            .setPrepareSession(
                PrepareSession.newBuilder().setOpen(peer).setPeerKey(dialing.address().getKey())));
    ByteString ticket =
        expect(accepting, Control.BodyCase.SESSION_PREPARED).getSessionPrepared().getTicket();
    SessionDeadlines deadlines = source.dialer().deadlines();
    RunSession.Builder run =
        RunSession.newBuilder()
            .setOwn(
                own.toBuilder()
                    .setEncrypted(source.dialer().encryptsData())
                    .setRateLimit(toldRate)
                    .setRequestKey(0) // the one that is dialled has it
                    .setSessionId(ByteString.copyFrom(id.bytes()))
                    .setSessionSecret(ByteString.copyFrom(secret)))
            .setPeer(peer)
            .setAddress(accepting.address())
            .setTicket(ticket)
            .setIdleTimeout(deadlines.idleTimeout().toMillis())
            .setRetryTimeoutPlusOne(deadlines.retryTimeout().toMillis() + 1)
            .setStallTimeout(deadlines.stallTimeout().toMillis());
    synchronized (this) {
      if (cancelled) {
        throw new InterruptedException();
      }
      dialing.send(Control.newBuilder().setRunSession(run));
      running = dialing;
    }
    return follow(dialing);
  }

  /** Finds out which of both reaches the other; the source dials if it can. */
  private boolean sourceDials(Director from, Director to)
      throws FdtException, InterruptedException {
    from.send(Control.newBuilder().setProbePeer(ProbePeer.newBuilder().setPeer(to.address())));
    to.send(Control.newBuilder().setProbePeer(ProbePeer.newBuilder().setPeer(from.address())));
    PeerProbed ofSource = expect(from, Control.BodyCase.PEER_PROBED).getPeerProbed();
    if (ofSource.getCode() == 0) {
      roundTrip = roundTrip(ofSource);
      LOG.info("{} connects to {}", from.name(), to.name());
      return true;
    }
    PeerProbed ofDestination = expect(to, Control.BodyCase.PEER_PROBED).getPeerProbed();
    if (ofDestination.getCode() == 0) {
      roundTrip = roundTrip(ofDestination);
      listener.notice(
          "%s connects to %s, because the other way fails: %s"
              .formatted(to.name(), from.name(), MessageText.received(ofSource.getMessage())));
      return false;
    }
    throw new FdtException(
        ErrorCode.ofWireCode(ofSource.getCode()),
        "neither server reaches the other: from %s: %s; from %s: %s"
            .formatted(
                from.name(),
                MessageText.received(ofSource.getMessage()),
                to.name(),
                MessageText.received(ofDestination.getMessage())));
  }

  private static Duration roundTrip(PeerProbed probed) {
    long micros = Math.max(0, Math.min(probed.getRoundTripMicros(), MOST_ROUND_TRIP_MICROS));
    return Duration.of(micros, ChronoUnit.MICROS);
  }

  /** The plan for the path between the servers. Encrypted streams begin as they go on. */
  private TransferPlan over(TransferPlan plan) {
    return source.dialer().encryptsData() ? plan : plan.over(roundTrip);
  }

  /** The server that dials holds the limit, whichever way the data goes; it may change. */
  private void tellRate(Director dialing) {
    long rate = push.limit().bytesPerSecond();
    if (rate != toldRate) {
      toldRate = rate;
      dialing.send(
          Control.newBuilder().setRateLimit(RateLimit.newBuilder().setBytesPerSecond(rate)));
    }
  }

  /** The answer to a request; one that came too late for an earlier one is passed over. */
  private static Control expect(Director director, Control.BodyCase answer)
      throws FdtException, InterruptedException {
    Control message = director.next();
    while (message.getBodyCase() == Control.BodyCase.PEER_PROBED
        && answer != Control.BodyCase.PEER_PROBED) {
      message = director.next();
    }
    if (message.getBodyCase() != answer) {
      throw new FdtException(ErrorCode.PROTOCOL, message.getBodyCase() + " in place of " + answer);
    }
    return message;
  }

  private FdtException follow(Director dialing) throws FdtException, InterruptedException {
    while (true) {
      Control message;
      try {
        message = dialing.next();
      } catch (FdtException e) {
        // its connection is gone, and the session with it: another one may follow
        lost = e.code() == ErrorCode.UNREACHABLE || e.code() == ErrorCode.TIMEOUT;
        throw e;
      }
      switch (message.getBodyCase()) {
        case RUN_EVENTS -> {
          heard(message.getRunEvents());
          tellRate(dialing);
        }
        case RUN_ENDED -> {
          return ended(message.getRunEnded());
        }
        case PEER_PROBED -> {}
        default ->
            throw new FdtException(
                ErrorCode.PROTOCOL, message.getBodyCase() + " while a session runs");
      }
    }
  }

  private FdtException ended(RunEnded end) {
    progress = end.getProgress();
    lost = end.getLost();
    if (end.getCode() == 0) {
      return null;
    }
    String message = MessageText.received(end.getMessage());
    return new FdtException(
        ErrorCode.ofWireCode(end.getCode()),
        lost
            ? push.reasonNotToRepeat().map(why -> "a server restarted, and " + why).orElse(message)
            : message);
  }

  private void heard(RunEvents events) throws FdtException {
    progress = events.getProgress();
    for (RunEvent event : events.getEventsList()) {
      heard(event);
    }
  }

  private void heard(RunEvent event) throws FdtException {
    switch (event.getWhatCase()) {
      case AGREED -> {
        agreed = true;
        whenAgreed.run();
      }
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
                construction(),
                file.getDigest().toByteArray()));
      }
      case UNCHANGED -> {
        RunFile file = event.getUnchanged();
        listener.fileUnchanged(new FoundFile(() -> path(file), size(file.getSize()), 0));
      }
      case DUE -> {
        RunFile file = event.getDue();
        listener.fileDue(
            new FoundFile(() -> path(file), size(file.getSize()), size(file.getToMove())));
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
      throw new FdtException(ErrorCode.PROTOCOL, "a size beyond all files");
    }
    return size;
  }

  private String construction() {
    return push.spec().digestMethod().construction();
  }

  @Override
  public boolean isContinuable(TransferReport report, Set<ErrorCode> passing) {
    if (report.failure().isEmpty()) {
      return false;
    }
    ErrorCode cause = report.failure().get();
    return agreed ? lost || cause == ErrorCode.SHUTTING_DOWN : passing.contains(cause);
  }

  private TransferReport report(FdtException failure) {
    RunProgress all = progress;
    return new TransferReport(
        id.shortName(),
        Optional.ofNullable(failure).map(FdtException::code),
        failure == null ? "" : failure.getMessage(),
        all.getBytesDone(),
        all.getBytesKept(),
        all.getWireBytes(),
        all.getFilesDone(),
        all.getFilesUnchanged(),
        all.getFilesDue(),
        push.spec().dryRun() ? all.getBytesTotal() : 0,
        all.getFailures(),
        all.getDirectories(),
        all.getLinks(),
        all.getSkipped(),
        all.getDeleted(),
        all.getBlocksRepeated(),
        construction(),
        elapsed(),
        List.copyOf(problems));
  }

  private Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - startNanos);
  }

  @Override
  public TransferProgress progress() {
    RunProgress p = progress;
    return new TransferProgress(
        p.getBytesDone(),
        p.getBytesTotal(),
        p.getFilesDone(),
        p.getFilesUnchanged(),
        p.getFailures(),
        p.getFilesTotal(),
        p.getTotalsAreFinal(),
        p.getStreams(),
        elapsed(),
        Duration.ofMillis(p.getStalledMillis()));
  }

  @Override
  public CompletableFuture<TransferReport> completion() {
    return completion;
  }

  /** The server that runs the session ends it, and says how far it has come. */
  @Override
  public synchronized void cancel() {
    cancelled = true;
    if (running == null) {
      thread.interrupt();
    } else {
      running.send(Control.newBuilder().setCancelRun(CancelRun.getDefaultInstance()));
    }
  }
}
