package io.fdt.udt.protocol.packet;

import io.fdt.udt.protocol.UdtConnection;
import io.netty.buffer.ByteBuf;

/** The output for the packets of a connection. */
public interface Datagrams {
  /**
   * Sends contiguous packets. The memory belongs to the connection, or is retained by a later user,
   * and keeps these bytes until {@link UdtConnection#transmit} is called again, or the connection
   * is closed.
   *
   * @param length total bytes
   * @param packet bytes of each, except the last one, which may be shorter
   */
  public void data(ByteBuf memory, int index, int length, int packet);

  /** Sends one packet, which it takes over. */
  public void controlAndRelease(ByteBuf packet);
}
