package io.fdt.core.receive;

import io.fdt.core.engine.CpuMeter;
import io.fdt.core.engine.DiskWorkers;
import io.fdt.core.engine.Observations;
import io.fdt.core.session.Outbox;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.ReceiverState;
import java.util.concurrent.TimeUnit;

/**
 * Tells the sender once a second what this receiver is busy with. Not thread-safe: confined to the
 * event loop of the session.
 */
public final class ReceiverStates {
  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Backpressure brake;
  private final DiskWorkers writers;
  private final CpuMeter cpu;
  private long lastNanos;

  ReceiverStates(Backpressure brake, DiskWorkers writers, long nowNanos) {
    this.brake = brake;
    this.writers = writers;
    this.cpu = new CpuMeter(nowNanos);
    this.lastNanos = nowNanos;
  }

  void tick(long nowNanos, Outbox outbox) {
    if (nowNanos - lastNanos < INTERVAL_NANOS) {
      return;
    }
    lastNanos = nowNanos;
    outbox.send(
        Control.newBuilder()
            .setReceiverState(
                ReceiverState.newBuilder()
                    .setWaiting(
                        (int)
                            Math.min(Observations.MOST_WAITING, brake.fill() * Observations.WHOLE))
                    .setDiskBusy((int) (writers.busiest(nowNanos) * Observations.WHOLE))
                    .setCpu((int) (cpu.take(nowNanos) * Observations.WHOLE))
                    .setOwnCpu((int) (cpu.own() * Observations.WHOLE))));
  }
}
