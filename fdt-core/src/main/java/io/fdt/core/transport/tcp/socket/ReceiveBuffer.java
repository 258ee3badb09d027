package io.fdt.core.transport.tcp.socket;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.IntegerUnixChannelOption;

/**
 * Enlarges the initial receive buffer of a connection, on Linux. The default has space for a window
 * of 64 KiB and grows by the bytes of each round trip, which slows down a sender's slow start.
 *
 * <p>SO_RCVBUF would disable the system's own adaptation. SO_RCVLOWAT does not: the kernel enlarges
 * the buffer to what a reader waits for (tcp_set_rcvlowat, net/ipv4/tcp.c), at most half of
 * net.ipv4.tcp_rmem's last number, and does not shrink it afterwards.
 */
public final class ReceiveBuffer {
  private static final int SOL_SOCKET = 1;
  private static final int SO_RCVLOWAT = 18;
  private static final int BEGIN = 2 << 20;

  private static final IntegerUnixChannelOption WAKE_AT =
      new IntegerUnixChannelOption("SO_RCVLOWAT", SOL_SOCKET, SO_RCVLOWAT);

  private ReceiveBuffer() {}

  /** Call before data arrives. Does nothing on other systems. */
  public static void beginLarge(Channel channel) {
    if (!(channel instanceof EpollSocketChannel epoll)) {
      return;
    }
    try {
      epoll.config().setOption(WAKE_AT, BEGIN);
      epoll.config().setOption(WAKE_AT, 1);
    } catch (ChannelException e) {
      // Closed, or not supported: the connection works without.
    }
  }
}
