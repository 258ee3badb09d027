package io.fdt.core.transport.tcp;

import io.fdt.core.error.FdtException;
import io.fdt.core.transport.DataConnection;
import io.fdt.core.transport.Routes;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Makes data connections of dialled channels that carry a stream of bytes and are not of TCP: to a
 * peer, or to the first relay on the way to it. Confined to the event loop of the channel until
 * {@link #connection} has returned.
 */
public final class DialedChannel {
  private final EarlyAnswer early = new EarlyAnswer();
  private final Channel channel;
  private final Duration deadline;
  private final boolean direct;
  private final CompletableFuture<DataConnection> reached = new CompletableFuture<>();

  /**
   * Adds what it needs to a channel that is not registered yet.
   *
   * @param route the way from the channel's other end on; empty when that is the peer
   * @param deadline for the first answer of the peer, and of each relay
   */
  public DialedChannel(Channel channel, Optional<Routes.Route> route, Duration deadline) {
    this.channel = channel;
    this.deadline = deadline;
    this.direct = route.isEmpty();
    channel.config().setAutoRead(false);
    channel.config().setRecvByteBufAllocator(new FrameReadAllocator());
    ChannelHandler first =
        route
            .<ChannelHandler>map(way -> new RelayHop(way, 0, deadline, early, this::passed))
            .orElse(early);
    channel.pipeline().addLast(first);
    if (route.isEmpty()) {
      passed(null);
    }
  }

  private void passed(FdtException failure) {
    if (failure == null) {
      reached.complete(new TcpDataConnection(channel, early, deadline, direct));
    } else {
      reached.completeExceptionally(failure);
    }
  }

  /** The connection, once the channel is active and all relays are passed. */
  public CompletableFuture<DataConnection> connection() {
    return reached;
  }
}
