package io.fdt.core.transport.udp;

import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;

/** Who the packets with one socket id are for. Called on the event loop of the socket. */
interface PacketTarget {
  /** A packet has come; the memory is the caller's. */
  void packet(long nowMicros, ByteBuf memory, int at, int length, InetSocketAddress from);

  /** All packets that were there have come; or the socket can send again. */
  void packetsEnd(long nowMicros);

  /** The system says that nobody is at the address of a connected socket. */
  void unreachable(Throwable cause);

  /** The socket is closed. */
  void socketClosed();
}
