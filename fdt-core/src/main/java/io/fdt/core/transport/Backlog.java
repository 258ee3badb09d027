package io.fdt.core.transport;

import io.fdt.core.error.FdtException;
import io.netty.buffer.ByteBuf;

/**
 * A queue of the bytes of one direction of a relayed connection that the other end has not accepted
 * yet. A few are in memory, the rest on disk. Never blocks; confined to the event loop of the
 * connection.
 */
public interface Backlog {
  /** Called on the event loop. */
  interface Listener {
    /** Bytes or room may be available again. */
    void changed();

    /** Bytes are lost: the connection must end. */
    void failed(FdtException cause);
  }

  /** Takes over bytes, also beyond its capacity. They stay in memory until {@link #refused}. */
  void add(ByteBuf bytes);

  /**
   * The next bytes, which the caller releases. Null when there are none, or when they are being
   * read from the disk: the caller then has room for more.
   */
  ByteBuf poll();

  /** The other end accepts no more for now: the rest may go to the disk. */
  void refused();

  boolean isEmpty();

  /** Whether more bytes should be read into it. */
  boolean hasRoom();

  /** Discards its bytes. Idempotent. */
  void close();
}
