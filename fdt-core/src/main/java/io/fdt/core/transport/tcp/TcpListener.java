package io.fdt.core.transport.tcp;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.transport.Acceptor;
import io.fdt.core.transport.EventLoops;
import io.fdt.core.transport.ListenSettings;
import io.fdt.core.transport.Transport;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** One TCP port that takes control and data connections. Thread-safe. */
final class TcpListener implements Transport.Listener {
  private final EventLoops loops;
  private final ByteBufAllocator allocator;
  private final ListenSettings settings;
  private final Acceptor acceptor;

  /** Connections that are told no, and then closed. */
  private static final int MAX_REFUSED = 64;

  private final UnauthenticatedConnections strangers;
  private final UnauthenticatedConnections refused = new UnauthenticatedConnections(MAX_REFUSED);
  private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
  private Channel listener;

  TcpListener(
      EventLoops loops, ByteBufAllocator allocator, ListenSettings settings, Acceptor acceptor) {
    this.strangers = new UnauthenticatedConnections(settings.maxUnauthenticated());
    this.loops = loops;
    this.allocator = allocator;
    this.settings = settings;
    this.acceptor = acceptor;
  }

  /**
   * Starts to listen.
   *
   * @param address port 0 for any free one
   * @throws FdtException the port is taken or may not be used, the address is not of this machine
   */
  void start(InetSocketAddress address) throws FdtException {
    ServerHandshake.Host host =
        new ServerHandshake.Host(settings.tls(), acceptor, strangers, settings.handshakeDeadline());
    var binding =
        new ServerBootstrap()
            .group(loops.group())
            .channel(TcpTransport.serverSocketChannel())
            .option(ChannelOption.SO_REUSEADDR, true)
            .option(ChannelOption.SO_BACKLOG, 1024)
            .childOption(ChannelOption.ALLOCATOR, allocator)
            .childOption(ChannelOption.SO_KEEPALIVE, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel channel) {
                    open.add(channel);
                    channel.config().setRecvByteBufAllocator(new FrameReadAllocator());
                    InetAddress from = channel.remoteAddress().getAddress();
                    Optional<ErrorCode> refusal = acceptor.refusal(from);
                    // Who is refused anyway keeps nobody out who may come in.
                    (refusal.isPresent() ? refused : strangers).add(channel, from);
                    channel
                        .pipeline()
                        .addLast(
                            refusal.isPresent()
                                ? new Refusal(refusal.get(), refused, acceptor)
                                : new ServerHandshake(host));
                  }
                })
            .bind(address)
            .awaitUninterruptibly();
    if (!binding.isSuccess()) {
      throw new FdtException(
          ErrorCode.USAGE,
          "cannot listen on %s: %s"
              .formatted(Addresses.text(address), Addresses.bindReason(binding.cause())),
          binding.cause());
    }
    listener = binding.channel();
    listener.pipeline().addLast(new AcceptFailures()); // behind Netty's own, which pauses for 1 s
  }

  @Override
  public InetSocketAddress address() {
    return (InetSocketAddress) listener.localAddress();
  }

  @Override
  public void stopListening() {
    if (listener != null) {
      listener.close().awaitUninterruptibly(2, TimeUnit.SECONDS);
    }
  }

  @Override
  public void close() {
    stopListening();
    open.close().awaitUninterruptibly(2, TimeUnit.SECONDS);
  }
}
