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
 * How connections come about: TCP, or another way that passes the contract test. Client and server
 * use this interface only.
 *
 * <p>Each side may dial or listen. Control connections carry messages, data connections become
 * streams of a session. Thread-safe.
 */
public interface Transport {
  /** Makes a transport for one client or one server. */
  @FunctionalInterface
  interface Factory {
    /**
     * A transport.
     *
     * @param loops where connections run
     * @param allocator memory of payloads
     * @param connectTimeout for a connection that is dialled, and again for the first answer on it
     */
    Transport create(EventLoops loops, ByteBufAllocator allocator, Duration connectTimeout);
  }

  /**
   * Opens a control connection.
   *
   * @param loop the event loop of the connection
   * @param host the name of the peer, where its certificate must bear it
   * @param reached runs on an event loop once the peer answers, before the handshake; gets the
   *     round trip time, zero when the system does not say
   * @param handlers makes the handler of the connection, on its event loop, when it begins
   * @return fails with an {@link FdtException}, also when the peer is no FDT server, or one of
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
   * Opens a connection for a data stream. Nothing is sent on it yet.
   *
   * @return fails with an {@link FdtException}
   */
  CompletableFuture<DataConnection> dialData(InetSocketAddress peer);

  /**
   * Finds out whether a server takes connections at an address. Says nothing to it.
   *
   * @return done when it does, or when this transport cannot find out; fails with an {@link
   *     FdtException}
   */
  default CompletableFuture<Void> reach(EventLoop loop, InetSocketAddress peer) {
    return CompletableFuture.completedFuture(null);
  }

  /** Another way for data to the same servers, which a dialer may try and leave again. */
  default Optional<DataDialer> other() {
    return Optional.empty();
  }

  /** Whether data connections that it dials go over UDP, which firewalls may drop in silence. */
  default boolean dialsDatagrams() {
    return false;
  }

  /** Whether the system lets its connections of TCP use this congestion control. */
  default boolean hasCongestion(String name) {
    return false;
  }

  /** How a relay connects further over UDP; empty where this has no UDP. */
  default Optional<ChannelDialer> datagrams() {
    return Optional.empty();
  }

  /** Opens connections for data streams. Thread-safe. */
  @FunctionalInterface
  interface DataDialer {
    /** As {@link Transport#dialData}. */
    CompletableFuture<DataConnection> dialData(InetSocketAddress peer);
  }

  /**
   * Listens for control and data connections.
   *
   * @param address port 0 for any free one
   * @throws FdtException the port is taken or may not be used, or the address is not of this
   *     machine
   */
  Listener listen(InetSocketAddress address, ListenSettings settings, Acceptor acceptor)
      throws FdtException;

  /** An open port. Thread-safe. */
  interface Listener extends AutoCloseable {
    /** Where it listens. */
    InetSocketAddress address();

    /** Takes no more connections; those that are open stay. Idempotent. */
    void stopListening();

    /** Closes the port and all connections that came to it. Idempotent. */
    @Override
    void close();
  }
}
