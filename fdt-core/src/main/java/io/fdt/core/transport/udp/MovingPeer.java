package io.fdt.core.transport.udp;

import io.fdt.core.udt.path.PathMove;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.net.InetSocketAddress;

/**
 * Where the peer of a connection is. It is elsewhere once somebody there has proven to be the peer.
 * Confined to the event loop of the socket, but for {@link #address}.
 */
final class MovingPeer {
  private final UdpSocket socket;
  private volatile InetSocketAddress address;
  private PathMove move;

  MovingPeer(UdpSocket socket, InetSocketAddress address) {
    this.socket = socket;
    this.address = address;
  }

  /** Any thread. */
  InetSocketAddress address() {
    return address;
  }

  /** From now on it may move. */
  void mayMove(PathMove next) {
    move = next;
  }

  /** Whether a packet is the peer's; asks who it is, and answers if it asks. */
  boolean sent(long now, ByteBuf memory, int at, int length, InetSocketAddress from) {
    PooledByteBufAllocator pool = PooledByteBufAllocator.DEFAULT;
    if (from.equals(address)) {
      if (move != null) {
        move.answer(memory, at, length, pool)
            .ifPresent(answer -> socket.writeAndRelease(answer, from));
      }
      return true;
    }
    if (move != null) {
      long random = ((long) UdpSocket.random() << 32) | UdpSocket.random();
      PathMove.Outcome outcome = move.receive(now, from, memory, at, length, random, pool);
      outcome.challenge().ifPresent(question -> socket.writeAndRelease(question, from));
      if (outcome.isPeer()) {
        address = from;
      }
    }
    return false;
  }
}
