package io.fdt.core.transport.tcp;

import io.fdt.core.transport.DataConnection;
import io.netty.channel.Channel;
import java.time.Duration;

/**
 * Makes data connections of dialled channels that carry a stream of bytes and are not of TCP.
 * Confined to the event loop of the channel until {@link #connection} has returned.
 */
public final class DialedChannel {
  private final EarlyAnswer early = new EarlyAnswer();
  private final Channel channel;

  /** Adds what it needs to a channel that is not registered yet. */
  public DialedChannel(Channel channel) {
    this.channel = channel;
    channel.config().setAutoRead(false);
    channel.config().setRecvByteBufAllocator(new FrameReadAllocator());
    channel.pipeline().addLast(early);
  }

  /**
   * The connection, once the channel is active.
   *
   * @param deadline for the server's first answer
   */
  public DataConnection connection(Duration deadline) {
    return new TcpDataConnection(channel, early, deadline);
  }
}
