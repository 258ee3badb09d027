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
 * Dials data connections over any kind of channel, to a peer or to the first relay on the route to
 * it. Thread-safe.
 */
public final class RoutedDataDialer implements Transport.DataDialer {
  private final EventLoops loops;
  private final RelayDialer dialer;
  private final Duration deadline;

  /**
   * @param deadline for the first answer of the peer, and of each relay
   * @param routes through relays; empty for direct connections
   */
  public RoutedDataDialer(
      EventLoops loops, ChannelDialer channels, Duration deadline, Optional<Routes> routes) {
    this.loops = loops;
    this.dialer = new RelayDialer(channels, deadline, routes);
    this.deadline = deadline;
  }

  @Override
  public CompletableFuture<DataConnection> dialData(InetSocketAddress peer) {
    CompletableFuture<DataConnection> result = new CompletableFuture<>();
    EarlyAnswer early = new EarlyAnswer();
    dialer.dial(
        loops.next(),
        peer,
        Routes::ofData,
        early,
        (channel, failure) -> {
          if (failure != null) {
            result.completeExceptionally(failure);
          } else {
            result.complete(new TcpDataConnection(channel, early, deadline, dialer.isDirect()));
          }
        });
    return result;
  }
}
