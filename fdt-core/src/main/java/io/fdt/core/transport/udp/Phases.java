package io.fdt.core.transport.udp;

import io.fdt.core.udt.Application;
import io.fdt.core.udt.SealedConnection;
import io.fdt.core.udt.UdtConnection;
import io.fdt.core.udt.UdtSettings;
import io.fdt.core.udt.WindowMemory;
import io.fdt.core.udt.packet.Datagrams;
import io.fdt.core.udt.packet.PathKey;
import io.fdt.core.udt.packet.Terms;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.net.InetSocketAddress;

/**
 * The connection of a channel. One of clear packets, which carries the join, may be followed by one
 * of encrypted packets; whoever was dialled keeps the first one until the second one is heard,
 * because the peer may not have its last words.
 *
 * <pre>
 *   dialer:    clear --answer to the join--> encrypted
 *   listener:  clear --join--> both --encrypted packet--> encrypted
 * </pre>
 *
 * <p>What is read comes from the last one only. Confined to the event loop of the socket.
 */
final class Phases {
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
   * @param dialed whether this end has dialled the other one
   */
  Phases(
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

  /** Bytes of a connection, which nobody reads once another one has followed. */
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

  /** The last one. */
  UdtConnection current() {
    return current;
  }

  /** Whether one of encrypted packets may follow. */
  boolean canSeal() {
    return terms.checked() && clear == null && !current.terms().isSealed();
  }

  /** One of encrypted packets follows, for whose packets {@code target} is. */
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
   * A packet has come.
   *
   * @return whether it was the peer's, and of the last connection
   */
  boolean receive(
      long now, ByteBuf packet, int at, int length, InetSocketAddress from, MovingPeer peer) {
    UdtConnection last = current;
    if (UdpSocket.target(packet, at) == last.terms().ownSocket()) {
      boolean taken =
          peer.sent(now, packet, at, length, from) && last.receive(now, packet, at, length);
      clearIsOver |= taken && clear != null && last == current; // another may have followed now
      return taken;
    }
    if (clear != null && !clearIsOver && from.equals(peer.address())) {
      clear.receive(now, packet, at, length);
    }
    return false;
  }

  /** Sends what is due. */
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

  /** Ends both, and tells the peer, which may not know of the second one yet. */
  void close(long now, String why) {
    if (clear != null && !clearIsOver) {
      clear.close(now, why);
    }
    current.close(now, why);
  }

  /** Gives back what is not needed any more. Not while a packet is received. */
  void sweep() {
    if (clearIsOver) {
      clearIsOver = false;
      socket.remove(clear.terms().ownSocket());
      clear.release();
      clear = null;
    }
  }

  /** Gives all back. */
  void release() {
    if (clear != null) {
      clearIsOver = true;
      sweep();
    }
    socket.remove(current.terms().ownSocket());
    current.release();
  }
}
