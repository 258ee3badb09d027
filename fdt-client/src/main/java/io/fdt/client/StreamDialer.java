package io.fdt.client;

import io.fdt.core.engine.Session;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.transport.DataStream;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.ReceivedFrame;
import io.fdt.core.wire.SessionId;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the data streams of one session open: dials as many as were asked for, and a new one, under
 * a new number, for each that dies. Without any stream for longer than the idle timeout it gives
 * the session up.
 *
 * <p>Confined to the event loop of the session.
 */
final class StreamDialer {
  private static final Logger LOG = LoggerFactory.getLogger(StreamDialer.class);
  private static final long FIRST_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long LAST_DELAY_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Dialer dialer;
  private final SessionLoop loop;
  private final InetSocketAddress server;
  private final SessionId id;
  private final byte[] secret;
  private final TransferPlan plan;
  private final Session session;
  private int nextNumber;
  private int open;
  private long delayNanos = FIRST_DELAY_NANOS;
  private long withoutSinceNanos;
  private boolean stopped;

  StreamDialer(
      Dialer dialer,
      SessionLoop loop,
      InetSocketAddress server,
      SessionId id,
      byte[] secret,
      TransferPlan plan,
      Session session) {
    this.dialer = dialer;
    this.loop = loop;
    this.server = server;
    this.id = id;
    this.secret = secret;
    this.plan = plan;
    this.session = session;
  }

  void start() {
    withoutSinceNanos = System.nanoTime();
    for (int i = 0; i < plan.streams(); i++) {
      dial();
    }
  }

  void stop() {
    stopped = true;
  }

  private void dial() {
    if (stopped) {
      return;
    }
    Join join = Join.prove(id, nextNumber++, secret);
    dialer
        .tcp()
        .connectData(server, join, plan.settings().streams(), this::handler)
        .whenComplete((stream, failure) -> loop.run(() -> dialed(stream, failure)));
  }

  private void dialed(DataStream stream, Throwable failure) {
    if (failure == null) {
      open++;
      delayNanos = FIRST_DELAY_NANOS;
      if (stopped) {
        stream.close();
      }
      return;
    }
    lost(Dialer.asFdtException(failure));
  }

  private void lost(FdtException cause) {
    if (stopped) {
      return;
    }
    LOG.debug("stream lost session={} reason={}", id.shortName(), cause.getMessage());
    long now = System.nanoTime();
    if (open == 0 && now - withoutSinceNanos > dialer.idleTimeout().toNanos()) {
      session.abort(
          new FdtException(
              ErrorCode.UNREACHABLE,
              "no data stream could be opened: " + cause.getMessage(),
              cause));
      return;
    }
    loop.after(delayNanos, this::dial);
    delayNanos = Math.min(LAST_DELAY_NANOS, delayNanos * 2);
  }

  /** Watches a stream on its way to the session. */
  private DataStream.Handler handler(DataStream stream) {
    DataStream.Handler inner = session.attach(stream);
    return new DataStream.Handler() {
      @Override
      public void frame(ReceivedFrame frame) throws FdtException {
        inner.frame(frame);
      }

      @Override
      public void writable() {
        inner.writable();
      }

      @Override
      public void closed(FdtException cause) {
        inner.closed(cause);
        loop.run(
            () -> {
              open--;
              if (open == 0) {
                withoutSinceNanos = System.nanoTime();
              }
              lost(cause);
            });
      }
    };
  }
}
