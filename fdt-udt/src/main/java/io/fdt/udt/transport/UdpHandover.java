package io.fdt.udt.transport;

import io.fdt.core.wire.PathKey;
import io.fdt.udt.protocol.Application;
import io.fdt.udt.protocol.SealedConnection;
import io.fdt.udt.protocol.UdtConnection;
import io.fdt.udt.protocol.UdtSettings;
import io.fdt.udt.protocol.WindowMemory;
import io.fdt.udt.protocol.packet.Datagrams;
import io.fdt.udt.protocol.packet.Terms;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.net.InetSocketAddress;

/**
 * Switches a channel from a connection with clear packets, which carries the join, to one with
 * encrypted packets. The listening end keeps the first until a packet of the second arrives,
 * because the peer may still need its last packets.
 *
 * <pre>
 *   dialer:    clear --answer to the join--> encrypted
 *   listener:  clear --join--> both --encrypted packet--> encrypted
 * </pre>
 *
 * <p>Only the latest connection delivers data. Confined to the event loop of the socket.
 */
final class UdpHandover {
  private final UdpSocket socket;
  private final Terms terms;
  private final UdtSettings settings;
  private final WindowMemory memory;
  private final boolean dialed;
  private final Datagrams out;
  private final Application application;
  private UdtConnection current;
  private UdtConnection clear;
  private boolean clearIsOver;

  /**
   * @param dialed whether this end dialed
   */
  UdpHandover(
      UdpSocket socket,
      Terms terms,
      UdtSettings settings,
      WindowMemory memory,
      boolean dialed,
      Datagrams out,
      Application application) {
    this.socket = socket;
    this.terms = terms;
    this.settings = settings;
    this.memory = memory;
    this.dialed = dialed;
    this.out = out;
    this.application = application;
    Inlet inlet = new Inlet();
    this.current =
        new UdtConnection(
            PooledByteBufAllocator.DEFAULT,
            memory,
            terms,
            settings,
            out,
            inlet,
            UdpSocket.nowMicros());
    inlet.connection = current;
  }

  /** Delivers the bytes of a connection unless another one has followed. */
  private final class Inlet implements Application {
    private UdtConnection connection;

    @Override
    public int deliver(ByteBuf from, int index, int length) {
      return connection == current ? application.deliver(from, index, length) : length;
    }

    @Override
    public void writable() {
      if (connection == current) {
        application.writable();
      }
    }
  }

  /** The latest connection. */
  UdtConnection current() {
    return current;
  }

  /** Whether a connection with encrypted packets may follow. */
  boolean canSeal() {
    return clear == null && !current.terms().isSealed();
  }

  /** Switches to encrypted packets, which go to {@code target}. */
  void seal(PathKey key, PacketTarget target, boolean isOpened) {
    if (!canSeal() || !socket.add(terms.sealed().ownSocket(), target)) {
      throw new IllegalStateException("this connection cannot be encrypted: " + terms);
    }
    Inlet inlet = new Inlet();
    UdtConnection sealed =
        SealedConnection.make(
            PooledByteBufAllocator.DEFAULT,
            memory,
            terms,
            key,
            dialed,
            settings,
            out,
            inlet,
            UdpSocket.nowMicros());
    inlet.connection = sealed;
    clear = current;
    clearIsOver = dialed;
    current = sealed;
    if (isOpened) {
      sealed.openWindow();
    }
  }

  /**
   * Handles a packet.
   *
   * @return whether it was the peer's, and of the latest connection
   */
  boolean receive(
      long now, ByteBuf packet, int at, int length, InetSocketAddress from, PeerAddress peer) {
    UdtConnection last = current;
    if (UdpSocket.target(packet, at) == last.terms().ownSocket()) {
      boolean taken =
          peer.sent(now, packet, at, length, from) && last.receive(now, packet, at, length);
      // The connection may have been replaced meanwhile.
      clearIsOver |= taken && clear != null && last == current;
      return taken;
    }
    if (clear != null && !clearIsOver && from.equals(peer.address())) {
      clear.receive(now, packet, at, length);
    }
    return false;
  }

  /** Sends packets that are due. */
  void transmit(long now) {
    if (clear != null && !clearIsOver) {
      clear.transmit(now);
      clearIsOver = clear.state() == UdtConnection.State.ENDED;
    }
    current.transmit(now);
  }

  long wakeUpMicros(long now) {
    long at = current.wakeUpMicros(now);
    return clear == null ? at : Math.min(at, clear.wakeUpMicros(now));
  }

  /** Ends both connections; notifies the peer on both, since it may not know the second one yet. */
  void close(long now, String why) {
    if (clear != null && !clearIsOver) {
      clear.close(now, why);
    }
    current.close(now, why);
  }

  /** Releases the first connection when it is over. Not while a packet is handled. */
  void sweep() {
    if (clearIsOver) {
      clearIsOver = false;
      socket.remove(clear.terms().ownSocket());
      clear.release();
      clear = null;
    }
  }

  void release() {
    if (clear != null) {
      clearIsOver = true;
      sweep();
    }
    socket.remove(current.terms().ownSocket());
    current.release();
  }
}
