package io.fdt.core.engine;

import io.fdt.core.session.Outbox;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.SourceWaits;
import java.util.concurrent.TimeUnit;

/**
 * A place of the source that does not answer while nothing moves: both ends name it. Confined to
 * the session's loop.
 */
public final class SilentSource {
  /** Less than a stall takes: a peer cannot fill a log. */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(4);

  private final TransferEvents events;
  private boolean isTold;
  private long toldNanos;

  /**
   * @param events gets the notices
   */
  public SilentSource(TransferEvents events) {
    this.events = events;
  }

  /** The sender has found one. */
  public void found(String place, Outbox outbox) {
    tell(place);
    outbox.send(
        Control.newBuilder()
            .setSourceWaits(SourceWaits.newBuilder().setPath(MessageText.fit(place))));
  }

  /** The sender has named one to the receiver. */
  public void onPeer(SourceWaits waits, long nowNanos) {
    if (!isTold || nowNanos - toldNanos > PAUSE_NANOS) {
      isTold = true;
      toldNanos = nowNanos;
      tell(MessageText.received(waits.getPath()));
    }
  }

  private void tell(String place) {
    events.notice(
        "no data: '%s' in the source does not answer; wait, or leave it out (--exclude)"
            .formatted(place));
  }
}
