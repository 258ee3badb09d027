package io.fdt.core.transport.tcp;

import io.fdt.core.transport.PathState;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.RawUnixChannelOption;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

/**
 * Reads struct tcp_info of Linux (include/uapi/linux/tcp.h); other channels report their own state.
 * Stateless.
 */
final class TcpInfo {
  private static final int IPPROTO_TCP = 6;
  private static final int TCP_INFO = 11;

  /** Up to tcpi_bytes_retrans, present since Linux 4.19; fields missing on older kernels stay 0. */
  private static final int LENGTH = 216;

  private static final RawUnixChannelOption OPTION =
      new RawUnixChannelOption("TCP_INFO", IPPROTO_TCP, TCP_INFO, LENGTH);

  private static final int SND_MSS = 16;
  private static final int RTT = 68;
  private static final int SND_CWND = 80;
  private static final int TOTAL_RETRANS = 100;
  private static final int BYTES_ACKED = 120;
  private static final int BYTES_RECEIVED = 128;
  private static final int SEGS_OUT = 136;
  private static final int NOTSENT_BYTES = 144;
  private static final int MIN_RTT = 148;
  private static final int DELIVERY_RATE = 160;
  private static final int BUSY_TIME = 168;
  private static final int RWND_LIMITED = 176;
  private static final int SNDBUF_LIMITED = 184;

  private TcpInfo() {}

  /** The state of an open connection; empty when the transport cannot report it. Any thread. */
  static Optional<PathState> of(Channel channel) {
    if (channel instanceof StreamChannel other) {
      return other.pathState();
    }
    if (!(channel instanceof EpollSocketChannel epoll) || !epoll.isActive()) {
      return Optional.empty();
    }
    try {
      return Optional.of(read(epoll.config().getOption(OPTION)));
    } catch (ChannelException e) {
      return Optional.empty(); // closed concurrently
    }
  }

  static PathState read(ByteBuffer bytes) {
    ByteBuffer info = bytes.duplicate().order(ByteOrder.nativeOrder());
    return new PathState(
        info.getInt(RTT) & 0xFFFFFFFFL,
        info.getInt(MIN_RTT) & 0xFFFFFFFFL,
        info.getInt(SEGS_OUT) & 0xFFFFFFFFL,
        info.getInt(TOTAL_RETRANS) & 0xFFFFFFFFL,
        info.getLong(BUSY_TIME),
        info.getLong(RWND_LIMITED),
        info.getLong(SNDBUF_LIMITED),
        info.getLong(DELIVERY_RATE),
        (info.getInt(SND_CWND) & 0xFFFFFFFFL) * (info.getInt(SND_MSS) & 0xFFFFFFFFL),
        info.getInt(NOTSENT_BYTES) & 0xFFFFFFFFL,
        info.getLong(BYTES_ACKED) + info.getLong(BYTES_RECEIVED));
  }
}
