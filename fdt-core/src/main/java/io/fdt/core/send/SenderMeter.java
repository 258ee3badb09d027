package io.fdt.core.send;

import io.fdt.core.buffer.BufferBudget;
import io.fdt.core.engine.DiskWorkers;
import io.fdt.core.engine.StreamSet;
import io.fdt.core.engine.meter.CpuMeter;
import io.fdt.core.engine.meter.DetailCoding;
import io.fdt.core.engine.meter.EndMeter;
import io.fdt.core.engine.meter.Observations;
import io.fdt.core.engine.meter.TimeShare;
import io.fdt.core.error.FdtException;
import io.fdt.core.transport.PathState;
import io.fdt.core.tuning.Bottleneck;
import io.fdt.core.tuning.Detail;
import io.fdt.core.tuning.EndState;
import io.fdt.core.tuning.Observation;
import io.fdt.core.tuning.Sample;
import io.fdt.core.wire.control.ReceiverState;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Samples a transfer at its sender, with the figures of both ends.
 *
 * <p>Not thread-safe: confined to the event loop of the session.
 */
final class SenderMeter {
  /**
   * The share of time in which streams wait for the rate limit, from which on it counts as the
   * bottleneck.
   */
  private static final double RATE_LIMITED = 0.5;

  private final StreamSet streams;
  private final BufferBudget budget;
  private final DiskWorkers readers;
  private final CpuMeter cpu;
  private final Map<Integer, PathState> last = new HashMap<>();
  private ReceiverState receiver = ReceiverState.getDefaultInstance();
  private long lastNanos;
  private long lastBytes;
  private final TimeShare rateLimited;
  private final StreamStates streamStates;
  private EndState receiverEnd = EndState.UNKNOWN;

  /** The meter for a monitor; null without one. */
  private EndMeter end;

  SenderMeter(StreamSet streams, BufferBudget budget, DiskWorkers readers, long nowNanos) {
    this.streams = streams;
    this.streamStates = new StreamStates(streams);
    this.budget = budget;
    this.readers = readers;
    this.cpu = new CpuMeter(nowNanos);
    this.lastNanos = nowNanos;
    this.rateLimited = new TimeShare(nowNanos);
  }

  /** Sets whether streams wait only for the rate limit. */
  void onRateLimit(boolean waits, long nowNanos) {
    rateLimited.set(waits, nowNanos);
  }

  void onReceiver(ReceiverState state) throws FdtException {
    Observations.check(state);
    receiver = state;
    if (end != null && state.hasDetails()) {
      receiverEnd = DetailCoding.decode(state.getDetails());
    }
  }

  long nanosSinceLast(long nowNanos) {
    return nowNanos - lastNanos;
  }

  /** Adds the details for a monitor to {@link #observe}. */
  void collectDetails() {
    end = new EndMeter(cpu, readers);
  }

  /**
   * A sample with its interpretation.
   *
   * @param sample the latest result of {@link #take}
   * @param change the change of settings from now on; empty for none
   * @param blocks written by the receiver
   * @param blocksRepeated read again and retransmitted
   */
  Observation observe(Sample sample, String change, long blocks, long blocksRepeated) {
    return new Observation(
        sample,
        Bottleneck.of(sample),
        readers.threadsPerDisk(),
        streams.congestion(),
        change,
        end == null ? Optional.empty() : Optional.of(detail(blocks, blocksRepeated)));
  }

  private Detail detail(long blocks, long blocksRepeated) {
    return new Detail(
        end.take(budget.taken(), budget.limit()),
        receiverEnd,
        blocks,
        blocksRepeated,
        streams.size(),
        streamStates.take());
  }

  /**
   * The counts since the last call.
   *
   * @param bytesWritten written so far by the receiver
   * @param namesKnown whether all files are found, and the receiver has looked them up
   */
  Sample take(long nowNanos, long bytesWritten, boolean namesKnown) {
    long segments = 0;
    long retransmits = 0;
    long busy = 0;
    long receiveWindow = 0;
    long sendBuffer = 0;
    long roundTrips = 0;
    long least = 0;
    int known = 0;
    for (StreamSet.OutboundStream out : streams.used()) {
      Optional<PathState> state = out.stream().pathState();
      if (state.isEmpty()) {
        continue;
      }
      PathState now = state.get();
      PathState then = last.put(out.stream().number(), now);
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
    Sample sample =
        new Sample(
            Math.max(1, nowNanos - lastNanos) / 1e9,
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
            readers.busiest(nowNanos),
            receiver.getDiskBusy() / 1000.0,
            cpu.take(nowNanos),
            receiver.getCpu() / 1000.0,
            Math.max(cpu.own(), receiver.getOwnCpu() / 1000.0),
            rateLimited.take(nowNanos) > RATE_LIMITED,
            namesKnown);
    lastNanos = nowNanos;
    lastBytes = bytesWritten;
    return sample;
  }
}
