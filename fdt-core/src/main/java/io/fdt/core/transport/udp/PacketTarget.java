package io.fdt.core.transport.udp;

import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;

/** Who the packets with one socket id are for. Called on the event loop of the socket. */
interface PacketTarget {
  /** A packet has come; the memory is the caller's. */
  void packet(long nowMicros, ByteBuf memory, int at, int length, InetSocketAddress from);

  /**
   * No more packets come for now.
   *
   * @param allRead whether all that had come to this host have been read
   */
  void packetsEnd(long nowMicros, boolean allRead);

  /** The socket can send again. */
  void canSend(long nowMicros);

  /** The system says that nobody is at the address of a connected socket. */
  void unreachable(Throwable cause);

  /** The socket is closed. */
  void socketClosed();
}
