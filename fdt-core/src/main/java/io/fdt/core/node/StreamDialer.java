package io.fdt.core.node;

import io.fdt.core.engine.Session;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.transport.DataStream;
import io.fdt.core.transport.DataTls;
import io.fdt.core.transport.StreamSettings;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.SessionId;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the data streams of one session open: dials as many as were asked for, and a new one, under
 * a new number, for each that dies. Without any stream for longer than the idle timeout it gives
 * the session up. While the server has not agreed to the session it may refuse streams, or let them
 * wait in vain: such are replaced when it has.
 *
 * <p>Confined to the event loop of the session.
 */
final class StreamDialer {
  private static final Logger LOG = LoggerFactory.getLogger(StreamDialer.class);
  private static final long FIRST_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long LAST_DELAY_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Dialer dialer;
  private final SessionLoop loop;
  private final PreconnectedSockets lines;
  private final InetSocketAddress server;
  private final SessionId id;
  private final byte[] secret;
  private final SessionPlan plan;
  private final Session session;
  private final Optional<DataTls> tls;
  private int nextNumber;

  /** Of this round: those of earlier ones may take a while to end. */
  private int open;

  private long delayNanos = FIRST_DELAY_NANOS;
  private long withoutSinceNanos;
  private boolean stopped;
  private boolean agreed;
  private int missing;
  private int round;

  StreamDialer(
      Dialer dialer,
      SessionLoop loop,
      PreconnectedSockets lines,
      Dialer.Dialed dialed,
      SessionId id,
      byte[] secret,
      SessionPlan plan,
      Session session) {
    this.dialer = dialer;
    this.loop = loop;
    this.lines = lines;
    this.server = dialed.peer();
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
    open = 0;
    int count = round == 1 ? plan.spec().streams() : plan.spec().steadyStreams();
    for (int i = 0; i < count; i++) {
      dial(round, round > 1);
    }
  }

  /** The server has agreed to the session. Once. */
  void agreed() {
    agreed = true;
    withoutSinceNanos = System.nanoTime();
    for (; missing > 0; missing--) {
      dial(round, true);
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
   * @param again whether something was lost before: then nothing is sent before the server answers
   */
  private void dial(int of, boolean again) {
    if (stopped || of != round) {
      return;
    }
    Join join = Join.prove(id, takeNumber(), secret);
    Dialled dialled = new Dialled(of);
    boolean waits = again || plan.isPull(); // who receives has nothing to send before
    lines
        .take(server)
        .thenCompose(
            line ->
                line.join(
                    join,
                    new StreamSettings(plan.spec().blockSize(), plan.spec().socketBuffer()),
                    tls,
                    waits,
                    dialled::handler))
        .whenComplete((stream, failure) -> loop.run(() -> dialled.answered(stream, failure)));
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
    if (!agreed) {
      missing++;
      return;
    }
    if (open >= plan.spec().steadyStreams()) {
      return; // it only helped at the beginning
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
    loop.after(delayNanos, () -> dial(of, true));
    delayNanos = Math.min(LAST_DELAY_NANOS, delayNanos * 2);
  }

  /** One attempt to open a stream, and what becomes of it. */
  private final class Dialled {
    private final int of;
    private boolean accepted;

    /** The stream sends already, and says itself when it ends. */
    private volatile boolean sends;

    Dialled(int of) {
      this.of = of;
    }

    void answered(DataStream stream, Throwable failure) {
      if (failure == null && (stopped || of != round)) {
        stream.close();
      } else if (failure == null) {
        accepted = true;
        open++;
        delayNanos = FIRST_DELAY_NANOS;
      } else if (!sends) {
        lost(cause(failure), of);
      }
    }

    private FdtException cause(Throwable failure) {
      boolean wrapped = failure instanceof CompletionException;
      return Dialer.asFdtException(wrapped ? failure.getCause() : failure);
    }

    /** Watches a stream on its way to the session. On the stream's event loop. */
    DataStream.Handler handler(DataStream stream) {
      sends = true;
      return session.attach(stream).whenClosed(cause -> loop.run(() -> ended(cause)));
    }

    private void ended(FdtException cause) {
      if (accepted && of == round) {
        open--;
        if (open == 0) {
          withoutSinceNanos = System.nanoTime();
        }
      }
      lost(cause, of);
    }
  }
}
