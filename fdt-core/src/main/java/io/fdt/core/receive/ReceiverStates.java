package io.fdt.core.receive;

import io.fdt.core.engine.DiskWorkers;
import io.fdt.core.engine.meter.CpuMeter;
import io.fdt.core.engine.meter.DetailCoding;
import io.fdt.core.engine.meter.EndMeter;
import io.fdt.core.engine.meter.Observations;
import io.fdt.core.session.Outbox;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.ReceiverState;
import java.util.concurrent.TimeUnit;

/**
 * Sends the state of this receiver to the sender once a second. Not thread-safe: confined to the
 * event loop of the session.
 */
public final class ReceiverStates {
  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Backpressure brake;
  private final DiskWorkers writers;
  private final CpuMeter cpu;
  private long lastNanos;

  /** The meter for a monitor; null without one. */
  private EndMeter end;

  ReceiverStates(Backpressure brake, DiskWorkers writers, long nowNanos) {
    this.brake = brake;
    this.writers = writers;
    this.cpu = new CpuMeter(nowNanos);
    this.lastNanos = nowNanos;
  }

  /** Sends the details for a monitor, too, first before the sender reads them. */
  void tellDetails() {
    end = new EndMeter(cpu, writers);
    lastNanos -= INTERVAL_NANOS / 2;
  }

  void tick(long nowNanos, Outbox outbox) {
    if (nowNanos - lastNanos < INTERVAL_NANOS) {
      return;
    }
    lastNanos = nowNanos;
    ReceiverState.Builder state =
        ReceiverState.newBuilder()
            .setWaiting(
                (int) Math.min(Observations.MOST_WAITING, brake.fill() * Observations.WHOLE))
            .setDiskBusy((int) (writers.busiest(nowNanos) * Observations.WHOLE))
            .setCpu((int) (cpu.take(nowNanos) * Observations.WHOLE))
            .setOwnCpu((int) (cpu.own() * Observations.WHOLE));
    if (end != null) {
      state.setDetails(DetailCoding.encode(end.take(brake.waitingBytes(), brake.limitBytes())));
    }
    outbox.send(Control.newBuilder().setReceiverState(state));
  }
}
