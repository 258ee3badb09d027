package io.fdt.core.transport;

import io.fdt.core.error.FdtException;
import io.netty.buffer.ByteBuf;

/**
 * The bytes of one direction of a relayed connection that the other end has not taken yet: first
 * in, first out. A little of it is in memory, the rest on a disk. Never blocks; confined to the
 * event loop of the connection.
 */
public interface Backlog {
  /** Hears of what happens later, on the event loop. */
  interface Listener {
    /** It may have bytes again, or room. */
    void changed();

    /** It has lost bytes: the connection has to end. */
    void failed(FdtException cause);
  }

  /** Takes over bytes, also when it has no room. They stay in memory until {@link #refused}. */
  void add(ByteBuf bytes);

  /**
   * The next bytes, which the caller releases; null when there are none, or when they are on the
   * way from the disk. Whoever gets null could have taken more.
   */
  ByteBuf poll();

  /** The other end takes no more for now: what is left may go to the disk. */
  void refused();

  boolean isEmpty();

  /** Whether more bytes should be read for it. */
  boolean hasRoom();

  /** Drops what is in it. Idempotent. */
  void close();
}
