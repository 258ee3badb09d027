package io.fdt.core.transport.tcp;

import io.fdt.core.transport.ChannelDialer;
import io.fdt.core.transport.DataConnection;
import io.fdt.core.transport.EventLoops;
import io.fdt.core.transport.Routes;
import io.fdt.core.transport.Transport;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Dials connections for data, of whatever kind of channels: to a peer or to the first relay on the
 * way to it. Thread-safe.
 */
public final class DataLines implements Transport.DataDialer {
  private final EventLoops loops;
  private final WayDialer ways;
  private final Duration deadline;

  /**
   * @param deadline for the first answer of the peer, and of each relay
   * @param routes how connections get to their peers; empty for directly
   */
  public DataLines(
      EventLoops loops, ChannelDialer channels, Duration deadline, Optional<Routes> routes) {
    this.loops = loops;
    this.ways = new WayDialer(channels, deadline, routes);
    this.deadline = deadline;
  }

  @Override
  public CompletableFuture<DataConnection> dialData(InetSocketAddress peer) {
    CompletableFuture<DataConnection> result = new CompletableFuture<>();
    EarlyAnswer early = new EarlyAnswer();
    ways.dial(
        loops.next(),
        peer,
        Routes::ofData,
        early,
        (channel, failure) -> {
          if (failure != null) {
            result.completeExceptionally(failure);
          } else {
            result.complete(new TcpDataConnection(channel, early, deadline, ways.isDirect()));
          }
        });
    return result;
  }
}
