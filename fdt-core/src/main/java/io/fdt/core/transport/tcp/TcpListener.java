package io.fdt.core.transport.tcp;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.transport.Acceptor;
import io.fdt.core.transport.EventLoops;
import io.fdt.core.transport.ListenSettings;
import io.fdt.core.transport.Transport;
import io.fdt.core.transport.tcp.socket.AcceptFailures;
import io.fdt.core.transport.tcp.socket.Addresses;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.SocketChannel;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/** One TCP port that accepts control and data connections. Thread-safe. */
final class TcpListener implements Transport.Listener {
  private final EventLoops loops;
  private final ByteBufAllocator allocator;
  private final Reception reception;
  private Channel listener;

  TcpListener(
      EventLoops loops, ByteBufAllocator allocator, ListenSettings settings, Acceptor acceptor) {
    this.reception = new Reception(settings, acceptor, false);
    this.loops = loops;
    this.allocator = allocator;
  }

  /**
   * Starts to listen.
   *
   * @param address port 0 for any free one
   * @throws FdtException the port is taken or not permitted, or the address is not local
   */
  void start(InetSocketAddress address) throws FdtException {
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
                    reception.welcome(channel, channel.remoteAddress().getAddress());
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
    listener.pipeline().addLast(new AcceptFailures()); // after Netty's own, which pauses for 1 s
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
    reception.close();
  }
}
