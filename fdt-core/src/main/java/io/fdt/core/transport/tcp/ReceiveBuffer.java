package io.fdt.core.transport.tcp;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.IntegerUnixChannelOption;

/**
 * Lets the receive buffer of a connection begin large, on Linux. By itself it begins with room for
 * a window of 64 KiB and grows by what came in each round trip, which holds a sender's slow start
 * back.
 *
 * <p>SO_RCVBUF would do it too, but ends the system's own adaptation. SO_RCVLOWAT does not: the
 * kernel makes the buffer large enough for what a reader wants to find there (tcp_set_rcvlowat,
 * net/ipv4/tcp.c), at most half of net.ipv4.tcp_rmem's last number, and does not make it smaller
 * when the reader wants less.
 */
final class ReceiveBuffer {
  private static final int SOL_SOCKET = 1;
  private static final int SO_RCVLOWAT = 18;
  private static final int BEGIN = 2 << 20;

  private static final IntegerUnixChannelOption WAKE_AT =
      new IntegerUnixChannelOption("SO_RCVLOWAT", SOL_SOCKET, SO_RCVLOWAT);

  private ReceiveBuffer() {}

  /** To be called before data comes. On systems that know nothing of it nothing happens. */
  static void beginLarge(Channel channel) {
    if (!(channel instanceof EpollSocketChannel epoll)) {
      return;
    }
    try {
      epoll.config().setOption(WAKE_AT, BEGIN);
      epoll.config().setOption(WAKE_AT, 1);
    } catch (ChannelException e) {
      // It is closed by now, or the system does not have that: it works without.
    }
  }
}
