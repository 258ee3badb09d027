package io.fdt.client;

import io.fdt.core.engine.Session;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.transport.DataStream;
import io.fdt.core.transport.tcp.DataTls;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.ReceivedFrame;
import io.fdt.core.wire.SessionId;
import java.net.InetSocketAddress;
import java.util.Optional;
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
  private final Optional<DataTls> tls;
  private int nextNumber;
  private int open;
  private long delayNanos = FIRST_DELAY_NANOS;
  private long withoutSinceNanos;
  private boolean stopped;
  private int round;

  StreamDialer(
      Dialer dialer,
      SessionLoop loop,
      Dialer.Dialed dialed,
      SessionId id,
      byte[] secret,
      TransferPlan plan,
      Session session) {
    this.dialer = dialer;
    this.loop = loop;
    this.server = dialed.server();
    this.tls = dialer.dataTls(dialed);
    this.id = id;
    this.secret = secret;
    this.plan = plan;
    this.session = session;
  }

  /** Opens the streams, once the session has a control connection. */
  void start() {
    stopped = false;
    round++;
    delayNanos = FIRST_DELAY_NANOS;
    withoutSinceNanos = System.nanoTime();
    for (int i = 0; i < plan.streams(); i++) {
      dial(round);
    }
  }

  /** Opens no more streams until {@link #start}. */
  void stop() {
    stopped = true;
    round++;
  }

  /** The next number of this session that has not been used. */
  int takeNumber() {
    return nextNumber++;
  }

  /**
   * @param of the start that this stream belongs to; those of earlier ones are not replaced
   */
  private void dial(int of) {
    if (stopped || of != round) {
      return;
    }
    Join join = Join.prove(id, takeNumber(), secret);
    dialer
        .tcp()
        .connectData(server, join, plan.settings().streams(), tls, stream -> handler(stream, of))
        .whenComplete((stream, failure) -> loop.run(() -> dialed(stream, failure, of)));
  }

  private void dialed(DataStream stream, Throwable failure, int of) {
    if (failure == null) {
      open++;
      delayNanos = FIRST_DELAY_NANOS;
      if (stopped || of != round) {
        stream.close();
      }
      return;
    }
    lost(Dialer.asFdtException(failure), of);
  }

  private void lost(FdtException cause, int of) {
    if (stopped || of != round) {
      return;
    }
    LOG.debug("stream lost session={} reason={}", id.shortName(), cause.getMessage());
    if (cause.code() == ErrorCode.UNTRUSTED) {
      session.abort(cause); // somebody stands in between
      return;
    }
    long now = System.nanoTime();
    if (open == 0 && now - withoutSinceNanos > dialer.idleTimeout().toNanos()) {
      session.abort(
          new FdtException(
              ErrorCode.UNREACHABLE,
              "no data stream could be opened: " + cause.getMessage(),
              cause));
      return;
    }
    loop.after(delayNanos, () -> dial(of));
    delayNanos = Math.min(LAST_DELAY_NANOS, delayNanos * 2);
  }

  /** Watches a stream on its way to the session. */
  private DataStream.Handler handler(DataStream stream, int of) {
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
              lost(cause, of);
            });
      }
    };
  }
}
