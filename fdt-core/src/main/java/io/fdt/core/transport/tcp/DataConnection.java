package io.fdt.core.transport.tcp;

import io.fdt.core.transport.DataStream;
import io.fdt.core.transport.StreamSettings;
import io.fdt.core.wire.Join;
import io.netty.channel.Channel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * A TCP connection to a server on which nothing was said yet, meant for a data stream. Thread-safe.
 */
public final class DataConnection {
  private final Channel channel;
  private final Duration deadline;

  /**
   * @param deadline for the server's first answer
   */
  DataConnection(Channel channel, Duration deadline) {
    this.channel = channel;
    this.deadline = deadline;
  }

  /**
   * Has it join a session. Called once.
   *
   * @param tls empty for a clear stream
   * @param waits whether frames wait for the server's answer. Otherwise they follow the join at
   *     once, which saves a round trip; but where a connection dies at once, again and again, none
   *     of them arrives
   * @param handlers makes the handler of the stream, on its event loop, as soon as frames may be
   *     sent. From then on the handler hears of the end, also of a refusal
   * @return the stream, once the server has taken it; fails with an {@link
   *     io.fdt.core.error.FdtException}
   */
  public CompletableFuture<DataStream> join(
      Join join,
      StreamSettings settings,
      Optional<DataTls> tls,
      boolean waits,
      Function<DataStream, DataStream.Handler> handlers) {
    CompletableFuture<DataStream> result = new CompletableFuture<>();
    DataDial dial = new DataDial(join, settings, tls, deadline, waits, handlers, result);
    if (channel.eventLoop().inEventLoop()) {
      dial.start(channel);
    } else {
      channel.eventLoop().execute(() -> dial.start(channel));
    }
    return result;
  }

  /** Closes a connection that nobody needs. */
  public void close() {
    channel.close();
  }
}
