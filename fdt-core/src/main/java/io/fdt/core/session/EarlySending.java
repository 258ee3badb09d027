package io.fdt.core.session;

import io.fdt.core.wire.control.Control;
import java.util.ArrayList;
import java.util.List;

/**
 * Limits the messages of this end until the peer has accepted the session. Fewer are sent than the
 * peer buffers (16 messages, 64 KiB), so that the peer keeps reading and notices an abort at once.
 * The rest is held back.
 *
 * <p>Not thread-safe: confined to the event loop of the session.
 */
final class EarlySending {
  static final int MOST = 12;
  static final int MOST_BYTES = 48 << 10;

  private final List<Control> held = new ArrayList<>();
  private int messages;
  private long bytes;

  /** Whether the next message may be sent at once; otherwise it is held back. */
  boolean mayGo(Control message) {
    messages++;
    bytes += message.getSerializedSize();
    if (!held.isEmpty() || messages > MOST || bytes > MOST_BYTES) {
      held.add(message);
      return false;
    }
    return true;
  }

  /** The messages to send once the peer has accepted the session, in order. */
  List<Control> held() {
    return held;
  }
}
