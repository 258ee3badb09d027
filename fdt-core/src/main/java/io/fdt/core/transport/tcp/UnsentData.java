package io.fdt.core.transport.tcp;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;

/**
 * Linux' socket option TCP_NOTSENT_LOWAT (tcp(7)): how much of what a connection was given the
 * kernel keeps before it is sent for the first time. By itself it keeps about as much again as is
 * under way. Stateless; any thread.
 */
final class UnsentData {
  /** The option has 32 bits. */
  private static final long MOST = 0xFFFF_FFFFL;

  private UnsentData() {}

  /**
   * On systems that know nothing of it nothing happens, nor on a connection that is closed.
   *
   * @param bytes 1 or more
   */
  static void limit(Channel channel, long bytes) {
    if (!(channel instanceof EpollSocketChannel epoll)) {
      return;
    }
    if (epoll.eventLoop().inEventLoop()) {
      set(epoll, bytes);
    } else {
      epoll.eventLoop().execute(() -> set(epoll, bytes)); // who closes it does that there
    }
  }

  private static void set(EpollSocketChannel channel, long bytes) {
    if (!channel.isOpen()) {
      return;
    }
    try {
      channel.config().setOption(EpollChannelOption.TCP_NOTSENT_LOWAT, Math.min(MOST, bytes));
    } catch (ChannelException e) {
      // The system does not have that: it works without.
    }
  }
}
