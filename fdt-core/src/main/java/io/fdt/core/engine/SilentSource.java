package io.fdt.core.engine;

import io.fdt.core.error.Setting;
import io.fdt.core.session.Outbox;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.SourceWaits;
import java.util.concurrent.TimeUnit;

/**
 * Reports a path of the source whose disk does not answer during a stall, at both ends. Confined to
 * the session's loop.
 */
public final class SilentSource {
  /**
   * The minimum time between notices of a peer, so that it cannot fill a log; shorter than the time
   * of a stall.
   */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(4);

  private final TransferEvents events;
  private boolean isTold;
  private long toldNanos;

  /**
   * @param events takes the notices
   */
  public SilentSource(TransferEvents events) {
    this.events = events;
  }

  /** Reports a path found by the sender, here and to the peer. */
  public void found(String place, Outbox outbox) {
    tell(place);
    outbox.send(
        Control.newBuilder()
            .setSourceWaits(SourceWaits.newBuilder().setPath(MessageText.fit(place))));
  }

  /** Reports a path named by the sender, at the receiver. */
  public void onPeer(SourceWaits waits, long nowNanos) {
    if (!isTold || nowNanos - toldNanos > PAUSE_NANOS) {
      isTold = true;
      toldNanos = nowNanos;
      tell(MessageText.received(waits.getPath()));
    }
  }

  private void tell(String place) {
    events.notice(
        "no data: '%s' in the source does not answer; wait, or leave it out (%s)"
            .formatted(place, Setting.SELECTION));
  }
}
