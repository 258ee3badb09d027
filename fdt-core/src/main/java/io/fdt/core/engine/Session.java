package io.fdt.core.engine;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.metrics.Progress;
import io.fdt.core.model.TransferFigures;
import io.fdt.core.session.SessionAction;
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
 * <p>Any thread may call methods, unless stated otherwise; the work is done on the session's event
 * loop.
 */
public final class Session implements RunningSession {
  /** The events of a session; called on its event loop. */
  public interface Listener {
    /** The control connection is lost: the client reconnects, the server waits. */
    void detached(Session session, FdtException cause);

    /** The session is connected, but stalled. Called once per stall. */
    default void stalled(Session session) {}

    /**
     * The session has ended and released its resources. Called once.
     *
     * @param failure null when the transfer completed
     */
    void ended(Session session, FdtException failure);
  }

  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final SessionId id;
  private final SessionLoop loop;
  private final Listener listener;
  private final SessionMachine machine;
  private final SessionAction.Executor executor = new Executor();
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

  /** The event loop of the session. */
  public SessionLoop loop() {
    return loop;
  }

  /** Sends a message of the session, numbered, in order, exactly once. On the loop. */
  public void send(Control.Builder message) {
    run(() -> machine.say(message));
  }

  /**
   * Begins a transfer before the peer has accepted it. On the loop, once, instead of {@link
   * #start}.
   */
  public void startEarly(DataPath newPath) {
    start(newPath, true);
  }

  /** The peer has accepted the transfer. On the loop, once, after {@link #startEarly}. */
  public void agreed() {
    run(machine::agree);
  }

  /** Begins the transfer. On the loop, once. */
  public void start(DataPath newPath) {
    start(newPath, false);
  }

  private void start(DataPath newPath, boolean early) {
    path = newPath;
    machine.start(early, loop.nanoTime());
    path.start();
    tick();
  }

  /** The handler of a new data stream of this session. On the stream's event loop. */
  public DataStream.Handler attach(DataStream stream) {
    return path.attach(stream);
  }

  /** The number of the last message received from the peer. On the loop. */
  public long received() {
    return machine.received();
  }

  @Override
  public boolean isWaiting() {
    return isWaiting;
  }

  /**
   * Continues over another control connection, which replaces the previous one. On the loop.
   *
   * @param answer the first message on it; null for none
   * @param receivedByPeer the number of the last message received by the peer
   */
  public void resume(ControlConnection next, Control answer, long receivedByPeer)
      throws FdtException {
    FdtException cause = new FdtException(ErrorCode.UNREACHABLE, "replaced by another connection");
    run(() -> machine.displace(cause, loop.nanoTime()));
    List<SessionAction> actions = machine.resume(answer, receivedByPeer, loop.nanoTime());
    control = next;
    carryOut(actions);
  }

  /** Handles a message of the peer. On the loop. */
  public void onMessage(ControlConnection from, Control message) throws FdtException {
    if (isCurrent(from)) {
      carryOut(machine.receive(message, loop.nanoTime()));
    }
  }

  /** A control connection was closed. On the loop. */
  public void onControlClosed(ControlConnection which, FdtException cause) {
    if (isCurrent(which)) {
      run(() -> machine.lose(cause, isComplete(), loop.nanoTime()));
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
    loop.run(() -> run(() -> machine.abort(cause)));
  }

  /** The transfer has completed. On the loop. */
  public void finish() {
    run(machine::finish);
  }

  private interface Step {
    List<SessionAction> run() throws FdtException;
  }

  /** Runs a step for an event of this end, which cannot violate the protocol. */
  private void run(Step step) {
    try {
      carryOut(step.run());
    } catch (FdtException e) {
      throw new IllegalStateException("an event of this end breaks a rule", e);
    }
  }

  private void carryOut(List<SessionAction> actions) throws FdtException {
    isWaiting = machine.isDetached();
    for (SessionAction action : actions) {
      action.carryOut(executor);
    }
  }

  private final class Executor implements SessionAction.Executor {
    @Override
    public void send(Control message) {
      control.send(message);
    }

    @Override
    public void deliver(Control message) throws FdtException {
      path.onControl(message);
    }

    @Override
    public void detach(FdtException cause) {
      control.close();
      path.dropStreams();
      listener.detached(Session.this, cause);
    }

    @Override
    public void reportStall() {
      listener.stalled(Session.this);
      path.stalled();
    }

    /** Sends the reason of an abort; without memory, the peer may not receive it. */
    @Override
    public void sendAbort(FdtException cause) {
      try {
        control.send(AbortCoding.encode(cause));
      } catch (RuntimeException | Error e) {
        cause.addSuppressed(e);
      }
    }

    @Override
    public void end(FdtException failure) {
      Session.this.end(failure);
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
    } catch (RuntimeException | Error e) { // no thread to close files with: fail the waiters
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

  /** Checks the deadlines, and publishes the progress for other threads. */
  private void tick() {
    if (machine.hasEnded()) {
      return;
    }
    path.tick(loop.nanoTime());
    progress = path.progress();
    long now = loop.nanoTime();
    run(() -> machine.tick(mark(progress), path.isComplete(), control.peer(), now));
    movedNanos = machine.movedNanos();
    loop.after(TICK_NANOS, this::tick);
  }

  private static SessionMachine.Mark mark(Progress progress) {
    TransferFigures figures = progress.figures();
    return new SessionMachine.Mark(
        figures.bytesDone(),
        progress.bytesCarried(),
        progress.bytesChecked(),
        figures.files().total(),
        figures.files().done(),
        figures.files().unchanged(),
        figures.files().due());
  }

  @Override
  public Progress progress() {
    return progress;
  }

  /** The duration of the current stall, in nanoseconds. */
  public long stalledNanos() {
    return loop.nanoTime() - movedNanos;
  }
}
