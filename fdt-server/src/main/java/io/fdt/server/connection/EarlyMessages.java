package io.fdt.server.connection;

import io.fdt.core.transport.ControlConnection;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Pong;
import java.util.ArrayDeque;

/**
 * Messages to a session that is not open yet. When the queue is full, the connection is not read;
 * only the rest of the last read may still arrive.
 *
 * <p>Not thread-safe: confined to the event loop of the connection.
 */
final class EarlyMessages {
  static final int MOST = 16;

  /**
   * The most bytes on the wire. Entries without content take about fifty times as much in memory.
   */
  static final int MOST_BYTES = 64 << 10;

  private final ArrayDeque<Control> messages = new ArrayDeque<>();
  private long bytes;

  void add(Control message) {
    messages.add(message);
    bytes += message.getSerializedSize();
  }

  /**
   * Answers a ping, queues any other message, and stops reading the connection when the queue is
   * full.
   */
  void add(Control message, ControlConnection connection) {
    if (message.hasPing()) {
      Pong answer = Pong.newBuilder().setNonce(message.getPing().getNonce()).build();
      connection.send(Control.newBuilder().setPong(answer).build());
    } else if (!message.hasPong()) {
      add(message);
    }
    if (isFull()) {
      connection.setReading(false);
    }
  }

  /** Whether the queue is full. */
  boolean isFull() {
    return messages.size() >= MOST || bytes >= MOST_BYTES;
  }

  /** Removes the next message; null for none. */
  Control poll() {
    return messages.poll();
  }

  void clear() {
    messages.clear();
  }
}
