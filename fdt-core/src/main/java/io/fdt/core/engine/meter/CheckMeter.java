package io.fdt.core.engine.meter;

import io.fdt.core.session.Outbox;
import io.fdt.core.wire.control.Checked;
import io.fdt.core.wire.control.Control;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts bytes that either end re-reads or forces to a device while no data flows, so that neither
 * end takes this for a stall.
 *
 * <p>{@link #add} on any thread; the rest is confined to the session's event loop.
 */
public final class CheckMeter {
  private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final LongAdder here = new LongAdder();
  private long atPeer;
  private long told;
  private long toldNanos;

  public void add(long bytes) {
    here.add(bytes);
  }

  /** Sends the count to the peer when it has changed. */
  public void tick(long nowNanos, Outbox outbox) {
    long bytes = here.sum();
    if (bytes != told && nowNanos - toldNanos >= PERIOD_NANOS) {
      told = bytes;
      toldNanos = nowNanos;
      outbox.send(Control.newBuilder().setChecked(Checked.newBuilder().setBytes(bytes)));
    }
  }

  public void onPeer(Checked message) {
    atPeer = message.getBytes();
  }

  /** Sum over both ends; only changes are meaningful. */
  public long total() {
    return here.sum() + atPeer;
  }
}
