package io.fdt.core.node;

import io.fdt.core.transport.DataConnection;
import io.fdt.core.transport.Transport;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * TCP connections for data streams that are opened while the control connection is being secured.
 * They stay unused until the server is authenticated. Thread-safe.
 */
final class PreconnectedSockets {
  /**
   * Most connections prepared. A server counts them as unauthenticated, with a limit for each
   * address. On paths with more streams, the transfer has long begun before these are opened.
   */
  static final int MOST = 32;

  private final Transport transport;
  private final ArrayDeque<CompletableFuture<DataConnection>> lines = new ArrayDeque<>();
  private InetSocketAddress server;
  private boolean closed;
  private boolean useUdp;
  private boolean udpRefused;
  private long udpMillis;
  private Consumer<Throwable> udpFailed = cause -> {};

  PreconnectedSockets(Transport transport) {
    this.transport = transport;
  }

  /** Prepares connections to an address that answers, up to a limit. */
  synchronized void prepare(InetSocketAddress address, int count) {
    if (closed) {
      return;
    }
    drop();
    server = address;
    for (int i = 0; i < Math.min(MOST, count); i++) {
      lines.add(transport.dialData(address));
    }
  }

  /** Whether the transport may use UDP in place of TCP. */
  boolean hasUdp() {
    return transport.udp().isPresent();
  }

  /** The server accepts no data over UDP. */
  synchronized void refuseUdp() {
    udpRefused = true;
  }

  synchronized boolean udpIsRefused() {
    return udpRefused;
  }

  /**
   * Called before UDP is used.
   *
   * @param patience for each of its connections
   * @param failed receives each failure to connect; any thread
   */
  synchronized void watchUdp(Duration patience, Consumer<Throwable> failed) {
    udpMillis = patience.toMillis();
    udpFailed = failed;
  }

  /** Opens a connection over UDP. */
  synchronized CompletableFuture<DataConnection> dialUdp(InetSocketAddress address) {
    Consumer<Throwable> failed = udpFailed;
    CompletableFuture<DataConnection> line = transport.udp().orElseThrow().dialData(address);
    CompletableFuture<DataConnection> inTime =
        line.copy().orTimeout(udpMillis, TimeUnit.MILLISECONDS);
    return inTime.whenComplete(
        (connection, failure) -> {
          if (failure != null) {
            line.thenAccept(DataConnection::close); // it may arrive late
            failed.accept(failure);
          }
        });
  }

  synchronized boolean usesUdp() {
    return useUdp;
  }

  /** Selects UDP or TCP for later connections. */
  synchronized void useUdp(boolean udp) {
    useUdp = udp;
  }

  /** A connection to this address: a prepared or a new one. */
  synchronized CompletableFuture<DataConnection> take(InetSocketAddress address) {
    if (useUdp) {
      return dialUdp(address);
    }
    CompletableFuture<DataConnection> line = address.equals(server) ? lines.poll() : null;
    return line == null ? transport.dialData(address) : line;
  }

  /** Closes unused connections, and prepares no more. Idempotent. */
  synchronized void close() {
    closed = true;
    drop();
  }

  private void drop() {
    lines.forEach(line -> line.thenAccept(DataConnection::close));
    lines.clear();
  }
}
