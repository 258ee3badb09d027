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
   * address. On paths where a round trip matters for more streams, the transfer has long begun by
   * then.
   */
  static final int MOST = 32;

  private final Transport transport;
  private final ArrayDeque<CompletableFuture<DataConnection>> lines = new ArrayDeque<>();
  private InetSocketAddress server;
  private boolean closed;
  private boolean useOther;
  private boolean otherRefused;
  private long otherMillis;
  private Consumer<Throwable> otherFailed = cause -> {};

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

  /** Whether the transport has an alternative for data. */
  boolean hasOther() {
    return transport.other().isPresent();
  }

  /** The server does not accept the alternative transport. */
  synchronized void refuseOther() {
    otherRefused = true;
  }

  /** Whether the server does not accept the alternative transport. */
  synchronized boolean otherIsRefused() {
    return otherRefused;
  }

  /**
   * Called before the alternative transport is used.
   *
   * @param patience for each of its connections
   * @param failed receives each failure to connect; any thread
   */
  synchronized void watchOther(Duration patience, Consumer<Throwable> failed) {
    otherMillis = patience.toMillis();
    otherFailed = failed;
  }

  /** Opens a connection over the alternative transport. */
  synchronized CompletableFuture<DataConnection> dialOther(InetSocketAddress address) {
    Consumer<Throwable> failed = otherFailed;
    CompletableFuture<DataConnection> line = transport.other().orElseThrow().dialData(address);
    CompletableFuture<DataConnection> inTime =
        line.copy().orTimeout(otherMillis, TimeUnit.MILLISECONDS);
    return inTime.whenComplete(
        (connection, failure) -> {
          if (failure != null) {
            line.thenAccept(DataConnection::close); // it may arrive late
            failed.accept(failure);
          }
        });
  }

  /** Whether connections use the alternative transport now. */
  synchronized boolean usesOther() {
    return useOther;
  }

  /** Selects the transport of later connections. */
  synchronized void useOther(boolean other) {
    useOther = other;
  }

  /** A connection to this address: a prepared or a new one. */
  synchronized CompletableFuture<DataConnection> take(InetSocketAddress address) {
    if (useOther) {
      return dialOther(address);
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
