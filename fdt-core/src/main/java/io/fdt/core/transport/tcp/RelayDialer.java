package io.fdt.core.transport.tcp;

import io.fdt.core.error.FdtException;
import io.fdt.core.transport.ChannelDialer;
import io.fdt.core.transport.Routes;
import io.fdt.core.transport.tcp.socket.Addresses;
import io.fdt.core.transport.tcp.socket.FrameReadAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiFunction;

/** Dials channels to peers, directly or through relays. Thread-safe. */
final class RelayDialer {
  private final ChannelDialer channels;
  private final Duration deadline;
  private final Optional<Routes> routes;

  /**
   * @param channels to the first machine
   * @param deadline for the answer of each relay
   * @param routes through relays; empty for direct connections
   */
  RelayDialer(ChannelDialer channels, Duration deadline, Optional<Routes> routes) {
    this.channels = channels;
    this.deadline = deadline;
    this.routes = routes;
  }

  /** Whether the channel's other end is the peer, not a relay. */
  boolean isDirect() {
    return routes.isEmpty();
  }

  /**
   * Receives the channel to the peer or an {@link FdtException}, once. On the event loop, unless it
   * has ended.
   */
  @FunctionalInterface
  interface Dialed {
    void done(Channel channel, FdtException failure);
  }

  /**
   * Dials on the event loop, so that {@code dialed} runs before anything is read: a server may
   * refuse this address at once.
   *
   * @param way the route to the peer, if it uses relays
   * @param last the handler of the channel when it leads to the peer
   */
  void dial(
      EventLoop loop,
      InetSocketAddress peer,
      BiFunction<Routes, InetSocketAddress, CompletableFuture<Routes.Route>> way,
      ChannelHandler last,
      Dialed dialed) {
    if (routes.isEmpty()) {
      onLoop(loop, peer, dialed, () -> open(loop, peer, last, dialed));
      return;
    }
    way.apply(routes.get(), peer)
        .whenComplete(
            (route, failure) -> {
              if (failure != null) {
                dialed.done(null, failure(peer, failure));
              } else {
                onLoop(loop, peer, dialed, () -> relay(loop, route, last, dialed));
              }
            });
  }

  private static FdtException failure(InetSocketAddress peer, Throwable cause) {
    boolean isWrapped = cause instanceof CompletionException && cause.getCause() != null;
    return Addresses.failure(Addresses.text(peer), isWrapped ? cause.getCause() : cause);
  }

  private static void onLoop(EventLoop loop, InetSocketAddress peer, Dialed dialed, Runnable dial) {
    try {
      loop.execute(
          () -> {
            try {
              dial.run();
            } catch (RuntimeException | Error e) { // or the failure would go unnoticed
              dialed.done(null, failure(peer, e));
            }
          });
    } catch (RejectedExecutionException e) { // the client or server was closed
      dialed.done(null, Addresses.connectFailure(peer, e));
    }
  }

  private void open(
      EventLoop loop, InetSocketAddress address, ChannelHandler handler, Dialed dialed) {
    channels
        .dial(
            loop,
            address,
            channel -> {
              channel.config().setAutoRead(false);
              channel.config().setRecvByteBufAllocator(new FrameReadAllocator());
              channel.pipeline().addLast(handler);
            })
        .whenComplete(
            (channel, failure) ->
                dialed.done(channel, failure == null ? null : failure(address, failure)));
  }

  /** Connects to the first relay, then through each relay to the next. */
  private void relay(EventLoop loop, Routes.Route route, ChannelHandler last, Dialed dialed) {
    CompletableFuture<Void> passed = new CompletableFuture<>();
    RelayHop hop =
        new RelayHop(
            route,
            0,
            deadline,
            last,
            failure -> {
              if (failure == null) {
                passed.complete(null);
              } else {
                passed.completeExceptionally(failure);
              }
            });
    open(
        loop,
        route.first(),
        hop,
        (channel, failure) -> {
          if (failure != null) {
            dialed.done(null, failure);
            return;
          }
          passed.whenComplete(
              (nothing, refusal) -> {
                if (refusal == null) {
                  dialed.done(channel, null);
                } else {
                  dialed.done(null, failure(route.first(), refusal));
                }
              });
        });
  }
}
