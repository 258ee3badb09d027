package io.fdt.core.transport.tcp.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** What the kernel keeps of a connection before it is sent. */
class UnsentDataTest {
  @Test
  void theKernelIsToldAsMuchAsItCanTake() throws Exception {
    Assumptions.assumeTrue(Epoll.isAvailable(), "an option of Linux");
    EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Channel channel =
          new Bootstrap()
              .group(loops)
              .channel(EpollSocketChannel.class)
              .handler(new ChannelInboundHandlerAdapter())
              .connect(server.getLocalSocketAddress())
              .sync()
              .channel();
      UnsentData.limit(channel, 300_000);
      channel.eventLoop().submit(() -> {}).sync();
      assertThat(channel.config().getOption(EpollChannelOption.TCP_NOTSENT_LOWAT))
          .isEqualTo(300_000);
      UnsentData.limit(channel, 1L << 40);
      channel.eventLoop().submit(() -> {}).sync();
      assertThat(channel.config().getOption(EpollChannelOption.TCP_NOTSENT_LOWAT))
          .isEqualTo(0xFFFF_FFFFL);
    } finally {
      loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).await(10, TimeUnit.SECONDS);
    }
  }

  @Test
  void whatIsNoConnectionOfTheKernelIsLeftAlone() {
    EmbeddedChannel channel = new EmbeddedChannel();
    UnsentData.limit(channel, 1);
    assertThat(channel.isOpen()).isTrue();
    channel.close();
  }
}
