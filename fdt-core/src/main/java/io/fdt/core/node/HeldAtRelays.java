package io.fdt.core.node;

import io.fdt.core.engine.Session;
import io.fdt.core.error.FdtException;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.HeldBlocks;
import io.fdt.core.wire.control.Welcome;
import java.util.Optional;

/**
 * Has the sender of a session know what relays on the way hold: this end, or the other one, which
 * is told. A peer that does not know of this is told nothing. Confined to the event loop of the
 * session.
 */
final class HeldAtRelays {
  private final boolean isSender;

  /** A network test measures the way: nothing of it may come from elsewhere. */
  private final boolean isNettest;

  private Session session;

  /** Null until the peer has said it. */
  private Welcome welcome;

  /** What is not told yet. */
  private Optional<HeldBlocks> held = Optional.empty();

  HeldAtRelays(SessionPlan plan) {
    this.isSender = !plan.isPull();
    this.isNettest = plan.open().getNettest();
  }

  /** The session has begun. */
  void begun(Session begun) {
    session = begun;
  }

  /** The peer has said what it can. */
  void welcomed(Welcome words) {
    welcome = words;
    tell();
  }

  /** Relays were asked. */
  void found(Optional<HeldBlocks> blocks) {
    held = isNettest ? Optional.empty() : blocks;
    tell();
  }

  private void tell() {
    if (held.isEmpty() || session == null || welcome == null || !welcome.getTakesRecalls()) {
      return;
    }
    Control.Builder message = Control.newBuilder().setHeldBlocks(held.get());
    held = Optional.empty();
    if (!isSender) {
      session.send(message);
      return;
    }
    try {
      session.tellOwn(message.build());
    } catch (FdtException e) {
      session.abort(e); // what the relay has said makes no sense
    }
  }
}
