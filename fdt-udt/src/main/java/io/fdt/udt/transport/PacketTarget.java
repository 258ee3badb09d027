package io.fdt.udt.transport;

import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;

/** The receiver of the packets with one socket id. Called on the event loop of the socket. */
interface PacketTarget {
  /** Handles a packet; the memory is the caller's. */
  void packet(long nowMicros, ByteBuf memory, int at, int length, InetSocketAddress from);

  /**
   * A series of packets ends.
   *
   * @param allRead whether the socket is empty
   */
  void packetsEnd(long nowMicros, boolean allRead);

  /** The socket is writable again. */
  void canSend(long nowMicros);

  /** The system reports the address of a connected socket as unreachable. */
  void unreachable(Throwable cause);

  /** The socket is closed. */
  void socketClosed();
}
