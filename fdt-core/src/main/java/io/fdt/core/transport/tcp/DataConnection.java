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
   * @param handlers makes the handler of the stream, on its event loop, as soon as frames may be
   *     sent: they follow the join without waiting for the server's answer. From then on the
   *     handler hears of the end, also of a refusal
   * @return the stream, once the server has taken it; fails with an {@link
   *     io.fdt.core.error.FdtException}
   */
  public CompletableFuture<DataStream> join(
      Join join,
      StreamSettings settings,
      Optional<DataTls> tls,
      Function<DataStream, DataStream.Handler> handlers) {
    CompletableFuture<DataStream> result = new CompletableFuture<>();
    DataDial dial = new DataDial(join, settings, tls, deadline, handlers, result);
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
