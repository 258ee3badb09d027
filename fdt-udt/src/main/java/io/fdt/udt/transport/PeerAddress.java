package io.fdt.udt.transport;

import io.fdt.udt.protocol.path.PathMove;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.net.InetSocketAddress;

/**
 * The current address of a connection's peer. It changes when packets from another address prove
 * the peer's key. Confined to the event loop of the socket, except {@link #address}.
 */
final class PeerAddress {
  private final UdpSocket socket;
  private volatile InetSocketAddress address;
  private PathMove move;

  PeerAddress(UdpSocket socket, InetSocketAddress address) {
    this.socket = socket;
    this.address = address;
  }

  /** The current address. Any thread. */
  InetSocketAddress address() {
    return address;
  }

  /** Allows changes of the address. */
  void mayMove(PathMove next) {
    move = next;
  }

  /**
   * Whether a packet is the peer's. Sends a challenge to an unknown address, and answers the peer's
   * challenges.
   */
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
