package io.fdt.core.engine;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.metrics.Progress;
import io.fdt.core.session.ControlLog;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.transport.DataStream;
import io.fdt.core.wire.AbortCoding;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Ping;
import io.fdt.core.wire.control.Pong;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One end of one transfer: its control connection, its data path, and the deadlines within which
 * the other end must show that it is alive.
 *
 * <pre>
 *   EARLY (the other end has not agreed to it: a connection that is lost is the end)
 *      |
 *   ATTACHED <--- attach --- DETACHED (control connection lost: all data streams are given up)
 *      |  '-------------------^  |
 *      |                         '-- nobody came back in time --> ENDED with a failure
 *      '-- finish: both ends know that every entry has an outcome --> ENDED
 *      '-- abort, by either end --> ENDED with a failure
 * </pre>
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

  /** Several of these fit into the idle timeout, so that one that is late does no harm. */
  private static final int PINGS_PER_TIMEOUT = 4;

  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** A shorter silence is no news. */
  private static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final SessionId id;
  private final SessionLoop loop;
  private final SessionDeadlines deadlines;
  private final Listener listener;
  private final ControlLog log = new ControlLog();
  private ControlConnection control;
  private DataPath path;
  private long lastHeardNanos;
  private long lastPingNanos;
  private long detachedNanos;
  private volatile boolean attached = true;
  private boolean ended;
  private EarlySending early;
  private boolean stallTold;
  private volatile Progress progress = Progress.NONE;
  private volatile long lastMovedNanos;

  public Session(
      SessionId id,
      SessionLoop loop,
      ControlConnection control,
      SessionDeadlines deadlines,
      Listener listener) {
    this.id = id;
    this.loop = loop;
    this.control = control;
    this.deadlines = deadlines;
    this.listener = listener;
    this.lastHeardNanos = loop.nanoTime();
    this.lastMovedNanos = lastHeardNanos;
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
    if (ended) {
      return;
    }
    Control numbered = log.next(message);
    if (attached && (early == null || early.mayGo(numbered))) {
      control.send(numbered);
    }
  }

  /**
   * Begins a transfer that the other end has not agreed to yet. On the loop, once, instead of
   * {@link #start}.
   */
  public void startEarly(DataPath newPath) {
    early = new EarlySending();
    start(newPath);
  }

  /** The other end has agreed. On the loop, once, after {@link #startEarly}. */
  public void agreed() {
    if (ended) {
      return;
    }
    List<Control> held = early.held();
    early = null;
    held.forEach(control::send);
  }

  /** Begins the transfer. On the loop, once. */
  public void start(DataPath newPath) {
    path = newPath;
    lastHeardNanos = loop.nanoTime();
    lastMovedNanos = lastHeardNanos;
    path.start();
    tick();
  }

  /** The handler of a new data stream of this session. On the stream's event loop. */
  public DataStream.Handler attach(DataStream stream) {
    return path.attach(stream);
  }

  /** The number of the last message of the other end that has come. On the loop. */
  public long received() {
    return log.received();
  }

  @Override
  public boolean isWaiting() {
    return !attached;
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
    if (ended) {
      throw new FdtException(ErrorCode.UNREACHABLE, "session " + id.shortName() + " has ended");
    }
    if (attached) {
      detach(new FdtException(ErrorCode.UNREACHABLE, "replaced by another connection"));
    }
    log.acknowledge(receivedByPeer);
    control = next;
    attached = true;
    lastHeardNanos = loop.nanoTime();
    if (answer != null) {
      control.send(answer);
    }
    log.unacknowledged().forEach(control::send);
  }

  /** A message of the other end. On the loop. */
  public void onMessage(ControlConnection from, Control message) throws FdtException {
    if (ended || !isCurrent(from)) {
      return;
    }
    lastHeardNanos = loop.nanoTime();
    if (!log.accept(message)) {
      return;
    }
    switch (message.getBodyCase()) {
      case PING ->
          control.send(
              Control.newBuilder()
                  .setReceived(log.received())
                  .setPong(Pong.newBuilder().setNonce(message.getPing().getNonce()))
                  .build());
      case PONG -> {}
      case ABORT -> end(AbortCoding.decode(message.getAbort()));
      default -> path.onControl(message);
    }
  }

  /** A control connection is gone. On the loop. */
  public void onControlClosed(ControlConnection which, FdtException cause) {
    if (ended || !attached || !isCurrent(which)) {
      return;
    }
    if (early == null && path != null && path.isComplete()) {
      end(null);
    } else if (early != null
        || path == null
        || deadlines.retryTimeout().isZero()
        || cause.isOwnWant()
        || cause.code().retry() == ErrorCode.Retry.NO) {
      end(cause);
    } else {
      detach(cause);
    }
  }

  @SuppressWarnings("ReferenceEquality") // connections have no value but themselves
  private boolean isCurrent(ControlConnection which) {
    return which == control;
  }

  private void detach(FdtException cause) {
    attached = false;
    detachedNanos = loop.nanoTime();
    control.close();
    path.dropStreams();
    listener.detached(this, cause);
  }

  @Override
  public void abort(FdtException cause) {
    loop.run(
        () -> {
          if (ended) {
            return;
          }
          if (attached) {
            tell(cause);
          }
          end(cause);
        });
  }

  /** Tells the other end, if it can be told: where memory is wanting it may hear no reason. */
  private void tell(FdtException cause) {
    try {
      control.send(AbortCoding.encode(cause));
    } catch (RuntimeException | Error e) {
      cause.addSuppressed(e);
    }
  }

  /** The transfer has come to its end. On the loop. */
  public void finish() {
    end(null);
  }

  private void end(FdtException failure) {
    if (ended) {
      return;
    }
    ended = true;
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

  /** Watches the deadlines, and keeps a copy of the progress for other threads. */
  private void tick() {
    if (ended) {
      return;
    }
    long now = loop.nanoTime();
    path.tick(now);
    Progress next = path.progress();
    if (early != null // that nothing moves is the other end's will
        || next.bytesDone() != progress.bytesDone()
        || next.bytesCarried() != progress.bytesCarried()
        || next.bytesChecked() != progress.bytesChecked()
        || next.filesTotal() != progress.filesTotal()
        || next.filesDone() != progress.filesDone()
        || next.filesUnchanged() != progress.filesUnchanged()
        || next.filesDue() != progress.filesDue()) {
      lastMovedNanos = now;
      stallTold = false;
    }
    progress = next;
    if (attached) {
      if (!stallTold && now - lastMovedNanos > STALL_NANOS) {
        stallTold = true;
        listener.stalled(this);
      }
      watchConnection(now);
    } else if (now - detachedNanos > deadlines.retryTimeout().toNanos()) {
      end(
          new FdtException(
              ErrorCode.UNREACHABLE,
              "the connection to %s was lost and did not come back within %d s"
                  .formatted(control.peer(), deadlines.retryTimeout().toSeconds())));
    }
    if (!ended && now - lastMovedNanos > deadlines.stallTimeout().toNanos()) {
      abort(
          new FdtException(
              ErrorCode.TIMEOUT,
              "nothing has moved for %d s: given up"
                  .formatted(deadlines.stallTimeout().toSeconds())));
    }
    loop.after(TICK_NANOS, this::tick);
  }

  private void watchConnection(long now) {
    if (now - lastHeardNanos > deadlines.idleTimeout().toNanos()) {
      onControlClosed(
          control,
          new FdtException(
              ErrorCode.TIMEOUT,
              "%s has been silent for %d s: it counts as gone"
                  .formatted(control.peer(), deadlines.idleTimeout().toSeconds())));
    } else if (now - lastPingNanos > deadlines.idleTimeout().toNanos() / PINGS_PER_TIMEOUT) {
      lastPingNanos = now;
      control.send(
          Control.newBuilder()
              .setReceived(log.received())
              .setPing(Ping.newBuilder().setNonce(now))
              .build());
    }
  }

  @Override
  public Progress progress() {
    return progress;
  }

  /** How long nothing has moved, in nanoseconds. */
  public long stalledNanos() {
    return loop.nanoTime() - lastMovedNanos;
  }
}
