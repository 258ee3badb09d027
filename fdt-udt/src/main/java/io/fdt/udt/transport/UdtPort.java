package io.fdt.udt.transport;

import io.fdt.core.transport.EventLoops;
import io.fdt.udt.protocol.Listening;
import io.fdt.udt.protocol.UdtSettings;
import io.fdt.udt.protocol.WindowMemory;
import io.fdt.udt.protocol.packet.Cookies;
import io.fdt.udt.protocol.packet.Handshake;
import io.fdt.udt.protocol.packet.Terms;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * The listening end of one socket: answers handshakes, and makes a channel for each proven one.
 * Methods: any thread; the rest is confined to the event loop of the socket.
 */
final class UdtPort implements PacketTarget {
  /**
   * The most connections, more than the streams of any session; each costs little before its peer
   * is authenticated.
   */
  private static final int MOST_CONNECTIONS = 4096;

  private record Peer(InetSocketAddress address, int socket) {}

  private record Accepted(UdtChannel channel, Terms terms) {}

  private final UdpSocket socket;
  private final Listening listening;
  private final UdtSettings settings;
  private final ByteBufAllocator allocator;
  private final BiConsumer<Channel, InetAddress> welcome;
  private final WindowMemory memory;
  private final Map<Peer, Accepted> connections = new LinkedHashMap<>();
  private Runnable whenIdle = () -> {};
  private volatile boolean stopped;

  UdtPort(
      UdpSocket socket,
      Cookies cookies,
      UdtSettings settings,
      WindowMemory memory,
      ByteBufAllocator allocator,
      BiConsumer<Channel, InetAddress> welcome) {
    this.socket = socket;
    this.listening = new Listening(settings, cookies);
    this.settings = settings;
    this.memory = memory;
    this.allocator = allocator;
    this.welcome = welcome;
    socket.setListener(this);
  }

  @Override
  public void packet(long now, ByteBuf memory, int at, int length, InetSocketAddress from) {
    ByteBufAllocator pool = PooledByteBufAllocator.DEFAULT;
    byte[] address = from.getAddress().getAddress();
    Listening.Outcome outcome =
        listening.receive(now, address, from.getPort(), memory, at, length, pool);
    outcome.reply().ifPresent(reply -> socket.writeAndRelease(reply, from));
    outcome.proven().ifPresent(request -> proven(request, from, pool));
  }

  private void proven(Handshake request, InetSocketAddress from, ByteBufAllocator pool) {
    Peer peer = new Peer(from, request.socket());
    Accepted accepted = connections.get(peer);
    boolean fresh = accepted == null;
    if (fresh) {
      if (stopped || (connections.size() >= MOST_CONNECTIONS && !endClosed())) {
        socket.writeAndRelease(Listening.refuse(request, pool), from);
        return;
      }
      accepted = accept(request, peer);
    }
    socket.writeAndRelease(listening.answer(accepted.terms(), request, pool), from);
    if (fresh) {
      socket.loop().register(accepted.channel());
    }
  }

  /** Ends a closed connection that only waits to deliver its last bytes. */
  private boolean endClosed() {
    for (Accepted accepted : connections.values()) {
      if (!accepted.channel().isOpen()) {
        accepted.channel().abort();
        return true;
      }
    }
    return false;
  }

  private Accepted accept(Handshake request, Peer peer) {
    int own;
    do {
      own = UdpSocket.random();
    } while (socket.has(own));
    Terms terms = listening.accept(request, own);
    UdtChannel channel =
        new UdtChannel(socket, false, peer.address(), terms, settings, memory, () -> gone(peer));
    channel.config().setAllocator(allocator);
    socket.add(own, channel);
    Accepted accepted = new Accepted(channel, terms);
    connections.put(peer, accepted);
    channel
        .pipeline()
        .addLast(
            new ChannelInitializer<UdtChannel>() {
              @Override
              protected void initChannel(UdtChannel made) {
                welcome.accept(made, peer.address().getAddress());
              }
            });
    return accepted;
  }

  private void gone(Peer peer) {
    connections.remove(peer);
    if (stopped && connections.isEmpty()) {
      whenIdle.run();
    }
  }

  @Override
  public void packetsEnd(long now, boolean allRead) {
    socket.flush();
  }

  @Override
  public void canSend(long now) {
    socket.flush();
  }

  @Override
  public void unreachable(Throwable cause) {
    // An unconnected socket does not report which peer is unreachable.
  }

  @Override
  public void socketClosed() {
    stopped = true;
  }

  /**
   * Accepts no more connections.
   *
   * @param idle runs at least once after the last connection has ended. The socket stays open: the
   *     system assigns packets to the sockets of a port by their index
   */
  void stop(Runnable idle) {
    onLoop(
        () -> {
          stopped = true;
          whenIdle = idle;
          if (connections.isEmpty()) {
            idle.run();
          }
        });
  }

  /** Closes the socket soon; requires that no connection is left. */
  void closeSocket() {
    socket.close();
  }

  /** Ends all connections and closes the socket. */
  void close() {
    onLoop(
        () -> {
          stopped = true;
          for (Accepted accepted : new ArrayList<>(connections.values())) {
            accepted.channel().abort();
          }
          socket.close();
        });
  }

  /**
   * Runs a task on the event loop. Returns when a socket that the task has closed has left its
   * port.
   */
  private void onLoop(Runnable task) {
    EventLoop loop = socket.loop();
    if (loop.inEventLoop()) {
      task.run();
      return;
    }
    try {
      loop.submit(task).awaitUninterruptibly(2, TimeUnit.SECONDS);
      if (!EventLoops.isNative(loop)) { // Java frees the port when the loop next polls its sockets
        loop.schedule(() -> {}, 1, TimeUnit.MILLISECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
      }
    } catch (RejectedExecutionException e) {
      // The loop has ended, and its sockets with it.
    }
  }
}
