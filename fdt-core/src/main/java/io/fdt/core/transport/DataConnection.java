package io.fdt.core.transport;

import io.fdt.core.wire.Join;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** A dialled connection for a data stream, on which nothing was sent yet. Thread-safe. */
public interface DataConnection {
  /**
   * Joins a session. Called once.
   *
   * @param tls empty for a clear stream; one over UDP that reaches the peer itself encrypts its
   *     packets instead
   * @param waits whether frames wait for the peer's answer. Otherwise they follow the join at once,
   *     which saves a round trip; but where a connection dies at once, again and again, none of
   *     them arrives
   * @param handlers makes the handler of the stream, on its event loop, as soon as frames may be
   *     sent. From then on the handler hears of the end, also of a refusal
   * @return the stream, once the peer has taken it; fails with an {@link
   *     io.fdt.core.error.FdtException}
   */
  CompletableFuture<DataStream> join(
      Join join,
      StreamSettings settings,
      Optional<DataTls> tls,
      boolean waits,
      Function<DataStream, DataStream.Handler> handlers);

  /** Closes a connection that nobody needs. */
  void close();
}
