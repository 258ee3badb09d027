package io.fdt.core.session;

import io.fdt.core.wire.control.Control;
import java.util.ArrayList;
import java.util.List;

/**
 * The messages of this end before the other one has agreed to the session. There are fewer than the
 * other end keeps (16 messages, 64 KiB), so that it goes on reading and sees at once when the
 * session is given up. The rest is held back.
 *
 * <p>Not thread-safe: confined to the event loop of the session.
 */
final class EarlySending {
  static final int MOST = 12;
  static final int MOST_BYTES = 48 << 10;

  private final List<Control> held = new ArrayList<>();
  private int messages;
  private long bytes;

  /** Whether this message, the next one, goes at once. Otherwise it is held. */
  boolean mayGo(Control message) {
    messages++;
    bytes += message.getSerializedSize();
    if (!held.isEmpty() || messages > MOST || bytes > MOST_BYTES) {
      held.add(message);
      return false;
    }
    return true;
  }

  /** The messages to send once the other end has agreed, in order. */
  List<Control> held() {
    return held;
  }
}
