package io.fdt.core.transport;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Opens channels that carry a stream of bytes. Thread-safe. */
@FunctionalInterface
public interface ChannelDialer {
  /**
   * Opens a channel.
   *
   * @param prepare adds the handlers before the channel is active, on the loop
   * @return completes on the loop, or fails with an {@link io.fdt.core.error.FdtException}
   */
  CompletableFuture<? extends Channel> dial(
      EventLoop loop, InetSocketAddress peer, Consumer<Channel> prepare);
}
