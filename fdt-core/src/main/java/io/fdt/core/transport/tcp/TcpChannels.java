package io.fdt.core.transport.tcp;

import io.fdt.core.transport.ChannelDialer;
import io.fdt.core.transport.tcp.socket.Addresses;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Opens TCP connections with auto-read off. Thread-safe. */
final class TcpChannels implements ChannelDialer {
  private final ByteBufAllocator allocator;
  private final Duration connectTimeout;

  /**
   * @param allocator of payloads
   */
  TcpChannels(ByteBufAllocator allocator, Duration connectTimeout) {
    this.allocator = allocator;
    this.connectTimeout = connectTimeout;
  }

  @Override
  public CompletableFuture<Channel> dial(
      EventLoop loop, InetSocketAddress peer, Consumer<Channel> prepare) {
    CompletableFuture<Channel> result = new CompletableFuture<>();
    bootstrap(loop)
        .handler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                prepare.accept(channel);
              }
            })
        .connect(peer)
        .addListener(
            (ChannelFutureListener)
                done -> {
                  if (done.isSuccess()) {
                    result.complete(done.channel());
                  } else {
                    result.completeExceptionally(Addresses.connectFailure(peer, done.cause()));
                  }
                });
    return result;
  }

  private Bootstrap bootstrap(EventLoop loop) {
    return new Bootstrap()
        .group(loop)
        .channel(TcpTransport.socketChannel())
        .option(ChannelOption.ALLOCATOR, allocator)
        .option(ChannelOption.AUTO_READ, false)
        .option(ChannelOption.SO_KEEPALIVE, true)
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, Math.toIntExact(connectTimeout.toMillis()));
  }
}
