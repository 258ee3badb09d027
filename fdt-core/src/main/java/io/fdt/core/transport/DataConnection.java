package io.fdt.core.transport;

import io.fdt.core.wire.Join;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** A dialed, unused connection for a data stream. Thread-safe. */
public interface DataConnection {
  /**
   * Joins a session. Called once.
   *
   * @param tls empty for a stream without TLS; over UDP directly to the peer, such a stream
   *     encrypts its packets
   * @param waits whether frames wait for the peer's answer. Otherwise they follow the join at once,
   *     which saves a round trip, but where connections repeatedly die early, none of them arrives
   * @param handlers makes the handler of the stream, on its event loop, as soon as frames may be
   *     sent. From then on the handler is notified of the end, also of a refusal
   * @return the stream, once the peer has accepted it; fails with an {@link
   *     io.fdt.core.error.FdtException}
   */
  CompletableFuture<DataStream> join(
      Join join,
      StreamSettings settings,
      Optional<DataTls> tls,
      boolean waits,
      Function<DataStream, DataStream.Handler> handlers);

  /** Closes an unused connection. */
  void close();
}
