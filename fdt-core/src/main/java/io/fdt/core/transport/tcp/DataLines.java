package io.fdt.core.transport.tcp;

import io.fdt.core.transport.ChannelDialer;
import io.fdt.core.transport.DataConnection;
import io.fdt.core.transport.EventLoops;
import io.fdt.core.transport.Fan;
import io.fdt.core.transport.FanPlaces;
import io.fdt.core.transport.Routes;
import io.fdt.core.transport.Transport;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Dials connections for data, of whatever kind of channels: to a peer or to the first relay on the
 * way to it, and several for each stream where a {@link Fan} says so. Thread-safe.
 */
public final class DataLines implements Transport.DataDialer {
  private final EventLoops loops;
  private final WayDialer ways;
  private final Duration deadline;
  private final Fan fan;
  private final FanPlaces places;

  /**
   * @param deadline for the first answer of the peer, and of each relay
   * @param routes how connections get to their peers; empty for directly
   * @param fan over how many connections data goes to the first machine
   */
  public DataLines(
      EventLoops loops,
      ChannelDialer channels,
      Duration deadline,
      Optional<Routes> routes,
      Fan fan) {
    this.loops = loops;
    this.ways = new WayDialer(channels, deadline, routes);
    this.deadline = deadline;
    this.fan = fan;
    this.places = new FanPlaces(fan);
  }

  @Override
  public CompletableFuture<DataConnection> dialData(InetSocketAddress peer) {
    CompletableFuture<DataConnection> result = new CompletableFuture<>();
    EarlyAnswer early = new EarlyAnswer();
    FanPlaces.Place place = places.take();
    ways.dial(
        loops.next(),
        peer,
        Routes::ofData,
        place.connections(),
        early,
        (channel, failure) -> {
          if (failure != null) {
            places.giveBack(place);
            result.completeExceptionally(failure);
          } else {
            channel.closeFuture().addListener(closed -> places.giveBack(place));
            result.complete(new TcpDataConnection(channel, early, deadline, ways.isDirect()));
          }
        });
    return result;
  }

  /** Whether streams may have more than one connection to the first machine. */
  public boolean dialsFans() {
    return !fan.isOneToOne();
  }
}
