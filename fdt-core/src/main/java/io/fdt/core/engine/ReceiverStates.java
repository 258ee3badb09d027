package io.fdt.core.engine;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.session.Outbox;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.ReceiverState;
import java.util.concurrent.TimeUnit;

/**
 * Tells the sender once a second what this receiver is busy with. Not thread-safe: confined to the
 * event loop of the session.
 */
final class ReceiverStates {
  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int MOST_WAITING = 10_000;
  private static final int WHOLE = 1000;

  private final Brake brake;
  private final DiskScheduler writers;
  private final CpuMeter cpu;
  private long lastNanos;

  ReceiverStates(Brake brake, DiskScheduler writers, long nowNanos) {
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
                    .setWaiting((int) Math.min(MOST_WAITING, brake.fill() * WHOLE))
                    .setDiskBusy((int) (writers.busiest(nowNanos) * WHOLE))
                    .setCpu((int) (cpu.take(nowNanos) * WHOLE))
                    .setOwnCpu((int) (cpu.own() * WHOLE))));
  }

  /**
   * Checks what a receiver says.
   *
   * @throws FdtException PROTOCOL when it cannot be
   */
  static void check(ReceiverState state) throws FdtException {
    if (Integer.compareUnsigned(state.getWaiting(), MOST_WAITING) > 0
        || Integer.compareUnsigned(state.getDiskBusy(), WHOLE) > 0
        || Integer.compareUnsigned(state.getCpu(), WHOLE) > 0
        || Integer.compareUnsigned(state.getOwnCpu(), WHOLE) > 0) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "a receiver that is busy to %s, %s and %s thousandths"
              .formatted(
                  Integer.toUnsignedString(state.getWaiting()),
                  Integer.toUnsignedString(state.getDiskBusy()),
                  Integer.toUnsignedString(state.getCpu())));
    }
  }
}
