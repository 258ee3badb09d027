package io.fdt.core.engine;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.metrics.Progress;
import io.fdt.core.session.SessionAction;
import io.fdt.core.session.SessionEvent;
import io.fdt.core.session.SessionMachine;
import io.fdt.core.spec.SessionDeadlines;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.transport.DataStream;
import io.fdt.core.wire.AbortCoding;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.Control;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One end of one transfer: its control connection, its data path, and the {@link SessionMachine}
 * that decides. Gives the machine its events, and carries out its actions.
 *
 * <p>Methods may be called on any thread where nothing else is said; what they do happens on the
 * session's event loop.
 */
public final class Session implements RunningSession {
  /** What is told of a session; on its event loop. */
  public interface Listener {
    /** The control connection is lost: the client dials again, the server waits. */
    void detached(Session session, FdtException cause);

    /** Nothing has moved for a while, although it is connected. Once for each time that happens. */
    default void stalled(Session session) {}

    /**
     * It has ended and holds nothing any more. Called once.
     *
     * @param failure null when the transfer came to its end
     */
    void ended(Session session, FdtException failure);
  }

  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final SessionId id;
  private final SessionLoop loop;
  private final Listener listener;
  private final SessionMachine machine;
  private ControlConnection control;
  private DataPath path;
  private volatile boolean isWaiting;
  private volatile Progress progress = Progress.NONE;
  private volatile long movedNanos;

  public Session(
      SessionId id,
      SessionLoop loop,
      ControlConnection control,
      SessionDeadlines deadlines,
      Listener listener) {
    this.id = id;
    this.loop = loop;
    this.control = control;
    this.listener = listener;
    this.movedNanos = loop.nanoTime();
    this.machine = new SessionMachine(id.shortName(), deadlines, movedNanos);
  }

  @Override
  public SessionId id() {
    return id;
  }

  /** The event loop that it is confined to. */
  public SessionLoop loop() {
    return loop;
  }

  /** Sends a message of the session: numbered, in order, once. On the loop. */
  public void send(Control.Builder message) {
    run(new SessionEvent.Said(message));
  }

  /**
   * Begins a transfer that the other end has not agreed to yet. On the loop, once, instead of
   * {@link #start}.
   */
  public void startEarly(DataPath newPath) {
    start(newPath, true);
  }

  /** The other end has agreed. On the loop, once, after {@link #startEarly}. */
  public void agreed() {
    run(new SessionEvent.Agreed());
  }

  /** Begins the transfer. On the loop, once. */
  public void start(DataPath newPath) {
    start(newPath, false);
  }

  private void start(DataPath newPath, boolean early) {
    path = newPath;
    run(new SessionEvent.Started(early));
    path.start();
    tick();
  }

  /** The handler of a new data stream of this session. On the stream's event loop. */
  public DataStream.Handler attach(DataStream stream) {
    return path.attach(stream);
  }

  /** The number of the last message of the other end that has come. On the loop. */
  public long received() {
    return machine.received();
  }

  @Override
  public boolean isWaiting() {
    return isWaiting;
  }

  /**
   * Goes on over another control connection, which takes the place of the one that it had. On the
   * loop.
   *
   * @param answer the first message on it; null for none
   * @param receivedByPeer the last of this end's messages that the other end has
   */
  public void resume(ControlConnection next, Control answer, long receivedByPeer)
      throws FdtException {
    run(
        new SessionEvent.Displaced(
            new FdtException(ErrorCode.UNREACHABLE, "replaced by another connection")));
    List<SessionAction> actions = handle(new SessionEvent.Resumed(answer, receivedByPeer));
    control = next;
    for (SessionAction action : actions) {
      carryOut(action);
    }
  }

  /** A message of the other end. On the loop. */
  public void onMessage(ControlConnection from, Control message) throws FdtException {
    if (isCurrent(from)) {
      for (SessionAction action : handle(new SessionEvent.Heard(message))) {
        carryOut(action);
      }
    }
  }

  /** A control connection is gone. On the loop. */
  public void onControlClosed(ControlConnection which, FdtException cause) {
    if (isCurrent(which)) {
      run(new SessionEvent.Lost(cause, isComplete()));
    }
  }

  @SuppressWarnings("ReferenceEquality") // connections have no value but themselves
  private boolean isCurrent(ControlConnection which) {
    return which == control;
  }

  private boolean isComplete() {
    return path != null && path.isComplete();
  }

  @Override
  public void abort(FdtException cause) {
    loop.run(() -> run(new SessionEvent.Aborted(cause)));
  }

  /** The transfer has come to its end. On the loop. */
  public void finish() {
    run(new SessionEvent.Finished());
  }

  /** For events that break no rule of the other end's. */
  private void run(SessionEvent event) {
    try {
      for (SessionAction action : handle(event)) {
        carryOut(action);
      }
    } catch (FdtException e) {
      throw new IllegalStateException("no event of this end breaks a rule: " + event, e);
    }
  }

  private List<SessionAction> handle(SessionEvent event) throws FdtException {
    List<SessionAction> actions = machine.handle(event, loop.nanoTime());
    isWaiting = machine.isDetached();
    return actions;
  }

  private void carryOut(SessionAction action) throws FdtException {
    if (action instanceof SessionAction.Send send) {
      control.send(send.message());
    } else if (action instanceof SessionAction.Deliver deliver) {
      path.onControl(deliver.message());
    } else if (action instanceof SessionAction.Detach detach) {
      control.close();
      path.dropStreams();
      listener.detached(this, detach.cause());
    } else if (action instanceof SessionAction.TellStalled) {
      listener.stalled(this);
      path.stalled();
    } else if (action instanceof SessionAction.TellPeer tell) {
      tell(tell.cause());
    } else if (action instanceof SessionAction.End end) {
      end(end.failure());
    }
  }

  /** Tells the other end, if it can be told: where memory is wanting it may hear no reason. */
  private void tell(FdtException cause) {
    try {
      control.send(AbortCoding.encode(cause));
    } catch (RuntimeException | Error e) {
      cause.addSuppressed(e);
    }
  }

  private void end(FdtException failure) {
    if (path == null) {
      closed(failure);
      return;
    }
    try {
      progress = path.progress();
      path.close().whenComplete((nothing, defect) -> loop.run(() -> closed(failure)));
    } catch (RuntimeException | Error e) { // no thread to close files with: whoever waits hears it
      closed(failure == null ? FdtException.unforeseen("closing files failed", e) : failure);
    }
  }

  private void closed(FdtException failure) {
    try {
      control.close();
    } finally {
      listener.ended(this, failure);
    }
  }

  /** Has the deadlines watched, and keeps a copy of the progress for other threads. */
  private void tick() {
    if (machine.hasEnded()) {
      return;
    }
    path.tick(loop.nanoTime());
    progress = path.progress();
    run(new SessionEvent.Tick(mark(progress), path.isComplete(), control.peer()));
    movedNanos = machine.movedNanos();
    loop.after(TICK_NANOS, this::tick);
  }

  private static SessionEvent.Mark mark(Progress progress) {
    return new SessionEvent.Mark(
        progress.bytesDone(),
        progress.bytesCarried(),
        progress.bytesChecked(),
        progress.filesTotal(),
        progress.filesDone(),
        progress.filesUnchanged(),
        progress.filesDue());
  }

  @Override
  public Progress progress() {
    return progress;
  }

  /** How long nothing has moved, in nanoseconds. */
  public long stalledNanos() {
    return loop.nanoTime() - movedNanos;
  }
}
