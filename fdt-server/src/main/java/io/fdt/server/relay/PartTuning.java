package io.fdt.server.relay;

import io.fdt.core.transport.PathState;
import io.fdt.core.tuning.CongestionTuner;
import io.fdt.core.tuning.Sample;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tunes the congestion control of a relay on one part of a route, like a sender: a {@link
 * CongestionTuner} observes all data connections of the route together, about once a second. Time
 * is an argument.
 *
 * <p>The fill of the relay's memory is the share of time in which bytes wait for this part. If the
 * part before it is slower, nothing is tried.
 *
 * <p>Not thread-safe: guarded by the account of the route.
 */
final class PartTuning {
  private static final Logger LOG = LoggerFactory.getLogger(PartTuning.class);
  private static final long SAMPLE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final CongestionTuner tuner = new CongestionTuner();
  private long sinceNanos;

  // Since the last sample.
  private long heldNanos;
  private int connections;
  private long bytes;
  private long segments;
  private long retransmits;
  private long busyMicros;
  private long receiveWindowMicros;
  private long sendBufferMicros;
  private long roundTripMicros;
  private long leastRoundTripMicros;

  PartTuning(long nowNanos) {
    sinceNanos = nowNanos;
  }

  /** Adds the time for which bytes of one connection have waited for this part. */
  void held(long nanos) {
    heldNanos += nanos;
  }

  /**
   * Adds the state of one connection of this part.
   *
   * @param then its previous state, about a second ago
   */
  void seen(PathState then, PathState now, long nowNanos) {
    long arrived = now.arrivedBytes() - then.arrivedBytes();
    if (arrived > 0) {
      connections++;
      bytes += arrived;
      segments += now.segments() - then.segments();
      retransmits += now.retransmits() - then.retransmits();
      busyMicros += now.busyMicros() - then.busyMicros();
      receiveWindowMicros += now.receiveWindowMicros() - then.receiveWindowMicros();
      sendBufferMicros += now.sendBufferMicros() - then.sendBufferMicros();
      roundTripMicros += now.roundTripMicros();
      long least = now.leastRoundTripMicros();
      leastRoundTripMicros = connections == 1 ? least : Math.min(leastRoundTripMicros, least);
    }
    if (nowNanos - sinceNanos >= SAMPLE_NANOS) {
      take(nowNanos);
    }
  }

  private void take(long nowNanos) {
    boolean usedTried = tuner.usesTried();
    if (tuner.next(sample(nowNanos - sinceNanos)) != usedTried) {
      LOG.info("congestion control of a route name={} reason={}", congestion(), tuner.reason());
    }
    sinceNanos = nowNanos;
    heldNanos = 0;
    connections = 0;
    bytes = 0;
    segments = 0;
    retransmits = 0;
    busyMicros = 0;
    receiveWindowMicros = 0;
    sendBufferMicros = 0;
    roundTripMicros = 0;
    leastRoundTripMicros = 0;
  }

  private Sample sample(long nanos) {
    int several = Math.max(1, connections);
    return new Sample(
        nanos / 1e9,
        bytes,
        connections,
        Math.max(0, segments),
        Math.max(0, retransmits),
        roundTripMicros / several,
        leastRoundTripMicros,
        (double) receiveWindowMicros / Math.max(1, busyMicros),
        (double) sendBufferMicros / Math.max(1, busyMicros),
        Math.min(1, (double) heldNanos / nanos / several),
        0,
        1,
        0,
        0,
        0,
        0,
        false,
        true);
  }

  /** The control for connections from now on; empty for the system's default. */
  String congestion() {
    return tuner.usesTried() ? CongestionTuner.TRIED : "";
  }
}
