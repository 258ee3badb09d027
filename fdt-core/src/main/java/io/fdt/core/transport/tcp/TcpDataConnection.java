package io.fdt.core.transport.tcp;

import io.fdt.core.transport.DataConnection;
import io.fdt.core.transport.DataStream;
import io.fdt.core.transport.DataTls;
import io.fdt.core.transport.StreamSettings;
import io.fdt.core.wire.Join;
import io.netty.channel.Channel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** A dialed connection, over TCP or not, that may become a data stream. */
final class TcpDataConnection implements DataConnection {
  private final Channel channel;
  private final EarlyAnswer early;
  private final Duration deadline;
  private final boolean direct;

  /**
   * @param early the handler that the connection has so far
   * @param deadline for the server's first answer
   * @param direct whether the channel's other end is the peer, not a relay
   */
  TcpDataConnection(Channel channel, EarlyAnswer early, Duration deadline, boolean direct) {
    this.direct = direct;
    this.channel = channel;
    this.early = early;
    this.deadline = deadline;
  }

  @Override
  public CompletableFuture<DataStream> join(
      Join join,
      StreamSettings settings,
      Optional<DataTls> tls,
      boolean waits,
      Function<DataStream, DataStream.Handler> handlers) {
    CompletableFuture<DataStream> result = new CompletableFuture<>();
    boolean seals =
        tls.isPresent()
            && settings.pathKey().isPresent()
            && direct
            && channel instanceof StreamChannel own
            && own.canSeal();
    DataDial dial =
        new DataDial(
            early,
            join,
            settings,
            seals ? Optional.empty() : tls,
            deadline,
            waits || seals, // before the answer the server could not decrypt them
            seals,
            handlers,
            result);
    if (channel.eventLoop().inEventLoop()) {
      dial.start(channel);
    } else {
      channel.eventLoop().execute(() -> dial.start(channel));
    }
    return result;
  }

  @Override
  public void close() {
    channel.close();
  }
}
