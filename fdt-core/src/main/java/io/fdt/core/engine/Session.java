package io.fdt.core.engine;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.metrics.Progress;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.transport.DataStream;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.Abort;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Ping;
import io.fdt.core.wire.control.Pong;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * One end of one transfer: its control connection, its data path, and the deadline within which the
 * other end must show that it is alive.
 *
 * <pre>
 *   OPEN -> ended without a failure (both ends know that every entry has met its fate)
 *     '---> ended with a failure (this end's, the other end's, or silence)
 * </pre>
 *
 * <p>Methods may be called on any thread; what they do happens on the session's event loop.
 */
public final class Session {
  /** Several of these fit into the idle timeout, so that one that is late does no harm. */
  private static final int PINGS_PER_TIMEOUT = 4;

  private static final long SNAPSHOT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final SessionId id;
  private final SessionLoop loop;
  private final ControlConnection control;
  private final Duration idleTimeout;
  private final BiConsumer<Session, FdtException> whenEnded;
  private DataPath path;
  private long sent;
  private long received;
  private long lastHeardNanos;
  private boolean ended;
  private volatile Progress progress = Progress.NONE;
  private volatile long lastMovedNanos;

  /**
   * @param idleTimeout how long the other end may be silent
   * @param whenEnded told once, on the loop, when the session has ended and holds nothing any more;
   *     the failure is null when the transfer came to its end
   */
  public Session(
      SessionId id,
      SessionLoop loop,
      ControlConnection control,
      Duration idleTimeout,
      BiConsumer<Session, FdtException> whenEnded) {
    this.id = id;
    this.loop = loop;
    this.control = control;
    this.idleTimeout = idleTimeout;
    this.whenEnded = whenEnded;
    this.lastHeardNanos = System.nanoTime();
    this.lastMovedNanos = lastHeardNanos;
  }

  public SessionId id() {
    return id;
  }

  /** Sends a message of the session: numbered, in order. On the loop. */
  public void send(Control.Builder message) {
    if (!ended) {
      control.send(message.setNumber(++sent).setReceived(received).build());
    }
  }

  /** Begins the transfer. On the loop, once. */
  public void start(DataPath newPath) {
    path = newPath;
    lastHeardNanos = System.nanoTime();
    lastMovedNanos = lastHeardNanos;
    path.start();
    keepAlive();
    snapshots();
  }

  /** The handler of a new data stream of this session. On the stream's event loop. */
  public DataStream.Handler attach(DataStream stream) {
    return path.attach(stream);
  }

  /** A message of the other end. On the loop. */
  public void onMessage(Control message) throws FdtException {
    lastHeardNanos = System.nanoTime();
    if (ended) {
      return;
    }
    if (message.getNumber() != 0) {
      if (message.getNumber() != received + 1) {
        throw new FdtException(
            ErrorCode.PROTOCOL,
            "control message %d came after %d".formatted(message.getNumber(), received));
      }
      received++;
    }
    switch (message.getBodyCase()) {
      case PING ->
          control.send(
              Control.newBuilder()
                  .setPong(Pong.newBuilder().setNonce(message.getPing().getNonce()))
                  .build());
      case PONG -> {}
      case ABORT ->
          end(
              new FdtException(
                  ErrorCode.ofWireCode(message.getAbort().getCode()),
                  message.getAbort().getMessage()));
      default -> path.onControl(message);
    }
  }

  /** The control connection is gone. On the loop. */
  public void onControlClosed(FdtException cause) {
    end(cause);
  }

  /** Ends it, and tells the other end why. */
  public void abort(FdtException cause) {
    loop.run(
        () -> {
          if (ended) {
            return;
          }
          control.send(
              Control.newBuilder()
                  .setAbort(
                      Abort.newBuilder()
                          .setCode(cause.code().wireCode())
                          .setMessage(cause.getMessage()))
                  .build());
          end(cause);
        });
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
    progress = path.progress();
    path.close().whenComplete((nothing, defect) -> loop.run(() -> closed(failure)));
  }

  private void closed(FdtException failure) {
    control.close();
    whenEnded.accept(this, failure);
  }

  private void keepAlive() {
    if (ended) {
      return;
    }
    long now = System.nanoTime();
    if (now - lastHeardNanos > idleTimeout.toNanos()) {
      end(
          new FdtException(
              ErrorCode.TIMEOUT,
              "%s has been silent for %d s: it counts as gone"
                  .formatted(control.peer(), idleTimeout.toSeconds())));
      return;
    }
    control.send(Control.newBuilder().setPing(Ping.newBuilder().setNonce(now)).build());
    loop.after(idleTimeout.toNanos() / PINGS_PER_TIMEOUT, this::keepAlive);
  }

  private void snapshots() {
    if (ended) {
      return;
    }
    Progress next = path.progress();
    if (next.wireBytes() != progress.wireBytes() || next.filesTotal() != progress.filesTotal()) {
      lastMovedNanos = System.nanoTime();
    }
    progress = next;
    loop.after(SNAPSHOT_NANOS, this::snapshots);
  }

  /** What has been done, at most a tenth of a second ago. */
  public Progress progress() {
    return progress;
  }

  /** How long nothing has moved, in nanoseconds. */
  public long stalledNanos() {
    return System.nanoTime() - lastMovedNanos;
  }
}
