package io.fdt.core.transport;

import io.fdt.core.error.FdtException;
import io.fdt.core.security.ClientTls;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Opens and accepts connections: TCP, or another transport that passes the contract test. Client
 * and server use this interface only.
 *
 * <p>Either side may dial or listen. Control connections carry messages; data connections become
 * streams of a session. Thread-safe.
 */
public interface Transport {
  /** Makes the transport of one client or one server. */
  @FunctionalInterface
  interface Factory {
    /**
     * Makes a transport.
     *
     * @param loops for connections
     * @param allocator of payloads
     * @param connectTimeout for a dialed connection, and again for the first answer on it
     */
    Transport create(EventLoops loops, ByteBufAllocator allocator, Duration connectTimeout);
  }

  /**
   * Opens a control connection.
   *
   * @param loop the event loop of the connection
   * @param host the name that the peer's certificate must contain
   * @param reached runs on an event loop once the peer answers, before the handshake; receives the
   *     round-trip time, zero when unknown
   * @param handlers makes the handler of the connection, on its event loop, when it begins
   * @return fails with an {@link FdtException}, also when the peer is not an FDT server, or of
   *     another version
   */
  CompletableFuture<SecuredControl> dialControl(
      EventLoop loop,
      InetSocketAddress peer,
      ClientTls tls,
      String host,
      Consumer<Duration> reached,
      Function<ControlConnection, ControlConnection.Handler> handlers);

  /**
   * Opens a connection for a data stream, without sending anything.
   *
   * @return fails with an {@link FdtException}
   */
  CompletableFuture<DataConnection> dialData(InetSocketAddress peer);

  /**
   * Checks whether a server accepts connections at an address, without sending anything.
   *
   * @return completes when it does, or when this transport cannot find out; fails with an {@link
   *     FdtException}
   */
  default CompletableFuture<Void> reach(EventLoop loop, InetSocketAddress peer) {
    return CompletableFuture.completedFuture(null);
  }

  /** UDP as the alternative for data connections, which a dialer may try and abandon. */
  default Optional<DataDialer> udp() {
    return Optional.empty();
  }

  /** Whether its data connections use UDP, which firewalls may drop silently. */
  default boolean dialsDatagrams() {
    return false;
  }

  /** Whether the system permits this congestion control for its TCP connections. */
  default boolean hasCongestion(String name) {
    return false;
  }

  /** Dials UDP connections for a relay; empty where this transport has no UDP. */
  default Optional<ChannelDialer> datagrams() {
    return Optional.empty();
  }

  /** Opens connections for data streams. Thread-safe. */
  @FunctionalInterface
  interface DataDialer {
    /** See {@link Transport#dialData}. */
    CompletableFuture<DataConnection> dialData(InetSocketAddress peer);
  }

  /**
   * Listens for control and data connections.
   *
   * @param address port 0 for any free one
   * @throws FdtException the port is taken or not permitted, or the address is not local
   */
  Listener listen(InetSocketAddress address, ListenSettings settings, Acceptor acceptor)
      throws FdtException;

  /** An open port. Thread-safe. */
  interface Listener extends AutoCloseable {
    /** The listening address. */
    InetSocketAddress address();

    /** Accepts no more connections; open ones stay. Idempotent. */
    void stopListening();

    /** Closes the port and all its connections. Idempotent. */
    @Override
    void close();
  }
}
