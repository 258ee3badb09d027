package io.fdt.core.engine;

import io.fdt.core.buffer.BufferBudget;
import io.fdt.core.error.FdtException;
import io.fdt.core.transport.TcpState;
import io.fdt.core.tuning.Bottleneck;
import io.fdt.core.tuning.CpuModel;
import io.fdt.core.tuning.Sample;
import io.fdt.core.tuning.StreamTuner;
import io.fdt.core.wire.control.ReceiverState;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Uses as many of a sender's streams as carry most: takes a sample every second, and does what a
 * {@link StreamTuner} makes of it.
 *
 * <p>Not thread-safe: confined to the event loop of the session.
 */
final class StreamTuning {
  /** Streams that a client opens for it. More are parked than used, on most paths. */
  static final int MOST_STREAMS = 16;

  private static final Logger LOG = LoggerFactory.getLogger(StreamTuning.class);
  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Of all processors; what is left is for the rest of the machine. */
  private static final double MOST_CPU = 0.85;

  /** Less does not tell what one stream takes. */
  private static final double LEAST_CPU = 0.02;

  private final String name;
  private final StreamSet streams;
  private final BufferBudget budget;
  private final StreamTuner tuner;
  private final ProcessCpu cpu;
  private final Map<Integer, TcpState> last = new HashMap<>();
  private ReceiverState receiver = ReceiverState.getDefaultInstance();
  private long lastNanos;
  private long lastBytes;
  private boolean rateLimited;

  /**
   * @param name the session's, for logs
   * @param roundTrip of the path; zero when it is not known
   */
  StreamTuning(
      String name, StreamSet streams, BufferBudget budget, Duration roundTrip, long nowNanos) {
    this.name = name;
    this.streams = streams;
    this.budget = budget;
    this.tuner =
        new StreamTuner(
            StreamTuner.start(0, TimeUnit.NANOSECONDS.toMicros(roundTrip.toNanos()), 1),
            MOST_STREAMS);
    this.cpu = new ProcessCpu(nowNanos);
    this.lastNanos = nowNanos;
    streams.use(tuner.streams());
  }

  /** The rate limit makes streams wait. */
  void onRateLimited() {
    rateLimited = true;
  }

  void onReceiver(ReceiverState state) throws FdtException {
    ReceiverStates.check(state);
    receiver = state;
  }

  /**
   * @param bytesWritten so far, by the receiver
   */
  void tick(long nowNanos, long bytesWritten) {
    if (nowNanos - lastNanos < INTERVAL_NANOS) {
      return;
    }
    Sample sample = sample(nowNanos, bytesWritten);
    lastNanos = nowNanos;
    lastBytes = bytesWritten;
    rateLimited = false;
    int before = tuner.streams();
    if (tuner.next(sample) != before) {
      streams.use(tuner.streams());
      log(sample, before);
    }
  }

  private void log(Sample sample, int before) {
    LOG.debug(
        "streams session={} before={} now={} bytesPerSecond={} limitedBy={} reason={} cpuAllows={}",
        name,
        before,
        tuner.streams(),
        Math.round(sample.rate()),
        Bottleneck.of(sample),
        tuner.reason(),
        cpuAllows(sample).map(String::valueOf).orElse("unknown"));
  }

  /** How many streams the busier end's processors could serve on this path. */
  private static Optional<Integer> cpuAllows(Sample sample) {
    if (sample.cpu() < LEAST_CPU || sample.streams() == 0 || sample.roundTripMicros() == 0) {
      return Optional.empty();
    }
    double millis = sample.roundTripMicros() / 1000.0;
    return Optional.of(
        CpuModel.measured(sample.cpu() / sample.streams(), millis, MOST_CPU).connections(millis));
  }

  private Sample sample(long nowNanos, long bytesWritten) {
    long segments = 0;
    long retransmits = 0;
    long busy = 0;
    long receiveWindow = 0;
    long sendBuffer = 0;
    long roundTrips = 0;
    long least = 0;
    int known = 0;
    for (StreamSet.Lane lane : streams.lanesInUse()) {
      Optional<TcpState> state = lane.stream.tcpState();
      if (state.isEmpty()) {
        continue;
      }
      TcpState now = state.get();
      TcpState then = last.put(lane.stream.number(), now);
      if (then != null) {
        segments += now.segments() - then.segments();
        retransmits += now.retransmits() - then.retransmits();
        busy += now.busyMicros() - then.busyMicros();
        receiveWindow += now.receiveWindowMicros() - then.receiveWindowMicros();
        sendBuffer += now.sendBufferMicros() - then.sendBufferMicros();
      }
      known++;
      roundTrips += now.roundTripMicros();
      least = least == 0 ? now.leastRoundTripMicros() : Math.min(least, now.leastRoundTripMicros());
    }
    return new Sample(
        (nowNanos - lastNanos) / 1e9,
        Math.max(0, bytesWritten - lastBytes),
        streams.inUse(),
        Math.max(0, segments),
        Math.max(0, retransmits),
        known == 0 ? 0 : roundTrips / known,
        least,
        (double) receiveWindow / Math.max(1, busy),
        (double) sendBuffer / Math.max(1, busy),
        (double) budget.taken() / budget.limit(),
        receiver.getWaiting() / 1000.0,
        cpu.take(nowNanos),
        receiver.getCpu() / 1000.0,
        rateLimited);
  }
}
