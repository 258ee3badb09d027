package io.fdt.core.transport.tcp;

import io.fdt.core.error.FdtException;
import io.fdt.core.security.ClientTls;
import io.fdt.core.transport.Acceptor;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.transport.DataConnection;
import io.fdt.core.transport.EventLoops;
import io.fdt.core.transport.ListenSettings;
import io.fdt.core.transport.Routes;
import io.fdt.core.transport.SecuredControl;
import io.fdt.core.transport.Transport;
import io.fdt.core.transport.tcp.socket.CongestionControl;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/** TCP: control and data connections to one port. Control uses TLS; data optionally. */
public final class TcpTransport implements Transport {
  private final EventLoops loops;
  private final ByteBufAllocator allocator;
  private final TcpChannels channels;
  private final TcpDialer dialer;
  private final RoutedDataDialer dataDialer;

  /** See {@link Transport.Factory}. */
  public TcpTransport(EventLoops loops, ByteBufAllocator allocator, Duration connectTimeout) {
    this(loops, allocator, connectTimeout, Optional.empty());
  }

  /**
   * @param routes through relays; empty for direct connections
   */
  public TcpTransport(
      EventLoops loops,
      ByteBufAllocator allocator,
      Duration connectTimeout,
      Optional<Routes> routes) {
    this.loops = loops;
    this.allocator = allocator;
    this.channels = new TcpChannels(allocator, connectTimeout);
    this.dialer = new TcpDialer(new RelayDialer(channels, connectTimeout, routes), connectTimeout);
    this.dataDialer = new RoutedDataDialer(loops, channels, connectTimeout, routes);
  }

  @Override
  public CompletableFuture<SecuredControl> dialControl(
      EventLoop loop,
      InetSocketAddress peer,
      ClientTls tls,
      String host,
      Consumer<Duration> reached,
      Function<ControlConnection, ControlConnection.Handler> handlers) {
    return dialer.connectControl(loop, peer, tls, host, reached, handlers);
  }

  @Override
  public CompletableFuture<DataConnection> dialData(InetSocketAddress peer) {
    return dataDialer.dialData(peer);
  }

  @Override
  public CompletableFuture<Void> reach(EventLoop loop, InetSocketAddress peer) {
    return channels.dial(loop, peer, channel -> {}).thenAccept(Channel::close);
  }

  @Override
  public boolean hasCongestion(String name) {
    return CongestionControl.isUsable(name);
  }

  @Override
  public Listener listen(InetSocketAddress address, ListenSettings settings, Acceptor acceptor)
      throws FdtException {
    TcpListener listener = new TcpListener(loops, allocator, settings, acceptor);
    listener.start(address);
    return listener;
  }

  /** The kind of channel that dials here. */
  public static Class<? extends SocketChannel> socketChannel() {
    return EventLoops.isNative() ? EpollSocketChannel.class : NioSocketChannel.class;
  }

  /** The kind of channel that listens here. */
  public static Class<? extends ServerSocketChannel> serverSocketChannel() {
    return EventLoops.isNative() ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
  }
}
