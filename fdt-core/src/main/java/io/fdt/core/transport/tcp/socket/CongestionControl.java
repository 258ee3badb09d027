package io.fdt.core.transport.tcp.socket;

import io.fdt.core.transport.EventLoops;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.RawUnixChannelOption;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Linux' socket option TCP_CONGESTION (tcp(7)). Stateless; any thread. */
public final class CongestionControl {
  private static final int IPPROTO_TCP = 6;
  private static final int TCP_CONGESTION = 13;

  /** TCP_CA_NAME_MAX. */
  private static final int LENGTH = 16;

  private static final RawUnixChannelOption OPTION =
      new RawUnixChannelOption("TCP_CONGESTION", IPPROTO_TCP, TCP_CONGESTION, LENGTH);

  private CongestionControl() {}

  /** Whether the system permits a congestion control. Opens a socket and closes it. */
  public static boolean isUsable(String name) {
    if (!EventLoops.isNative()) {
      return false;
    }
    EpollSocketChannel channel = new EpollSocketChannel();
    try {
      return set(channel, name);
    } finally {
      channel.unsafe().closeForcibly();
    }
  }

  /** The congestion control of a connection; empty when unknown, or for other transports. */
  public static String of(Channel channel) {
    if (!(channel instanceof EpollSocketChannel epoll) || !epoll.isOpen()) {
      return "";
    }
    try {
      byte[] name = new byte[LENGTH];
      epoll.config().getOption(OPTION).get(name);
      int end = 0;
      while (end < LENGTH && name[end] != 0) {
        end++;
      }
      return new String(name, 0, end, StandardCharsets.US_ASCII);
    } catch (ChannelException e) {
      return ""; // closed concurrently
    }
  }

  /**
   * Sets the congestion control of a connection.
   *
   * @return false when the system does not know or does not permit it; true for a closed connection
   */
  public static boolean set(Channel channel, String name) {
    if (!(channel instanceof EpollSocketChannel epoll)) {
      return false;
    }
    ByteBuffer value = ByteBuffer.allocateDirect(LENGTH);
    value.put(name.getBytes(StandardCharsets.US_ASCII)).position(0);
    try {
      return epoll.config().setOption(OPTION, value) || !epoll.isOpen();
    } catch (ChannelException e) {
      return !epoll.isOpen();
    }
  }
}
