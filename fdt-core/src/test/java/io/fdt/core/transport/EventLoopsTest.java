package io.fdt.core.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class EventLoopsTest {
  private static final long DEADLINE_SECONDS = 20;

  @Test
  void theEndOfLoopsClosesTheirChannelsWithEpoll() throws Exception {
    Assumptions.assumeTrue(EventLoops.isNative(), "only where there is epoll");
    checkClosed(new EventLoops("test-loops"), EpollDatagramChannel.class);
  }

  @Test
  void theEndOfLoopsClosesTheirChannelsWithJavasSockets() throws Exception {
    checkClosed(EventLoops.ofJava("test-loops"), NioDatagramChannel.class);
  }

  /** Told to end while it runs its tasks: after it has looked for the first time in that turn. */
  private static void checkClosed(EventLoops loops, Class<? extends DatagramChannel> type)
      throws Exception {
    CompletableFuture<Void> inactive = new CompletableFuture<>();
    try (loops) {
      Channel channel =
          new Bootstrap()
              .group(loops.group())
              .channel(type)
              .handler(
                  new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelInactive(ChannelHandlerContext context) {
                      inactive.complete(null);
                    }
                  })
              .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
              .sync()
              .channel();
      channel
          .eventLoop()
          .execute(() -> loops.group().shutdownGracefully(0, DEADLINE_SECONDS, TimeUnit.SECONDS));

      assertThat(loops.group().terminationFuture().await(DEADLINE_SECONDS, TimeUnit.SECONDS))
          .as("ended")
          .isTrue();
      assertThat(channel.isOpen()).as("open").isFalse();
      assertThat(inactive).as("its handler has heard").isDone();
    }
  }
}
