package io.fdt.core.transport.tcp.socket;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;

/**
 * Linux' socket option TCP_NOTSENT_LOWAT (tcp(7)): the limit on unsent bytes in the kernel's
 * buffer. By default, about as many bytes as are in flight. Stateless; any thread.
 */
public final class UnsentData {
  /** The option has 32 bits. */
  private static final long MOST = 0xFFFF_FFFFL;

  private UnsentData() {}

  /**
   * Does nothing on other systems, or on a closed connection.
   *
   * @param bytes 1 or more
   */
  public static void limit(Channel channel, long bytes) {
    if (!(channel instanceof EpollSocketChannel epoll)) {
      return;
    }
    if (epoll.eventLoop().inEventLoop()) {
      set(epoll, bytes);
    } else {
      epoll.eventLoop().execute(() -> set(epoll, bytes)); // its event loop closes it
    }
  }

  private static void set(EpollSocketChannel channel, long bytes) {
    if (!channel.isOpen()) {
      return;
    }
    try {
      channel.config().setOption(EpollChannelOption.TCP_NOTSENT_LOWAT, Math.min(MOST, bytes));
    } catch (ChannelException e) {
      // Not supported: the connection works without.
    }
  }
}
