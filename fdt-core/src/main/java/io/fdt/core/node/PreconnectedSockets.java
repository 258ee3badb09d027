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
 * TCP connections for data streams that are opened while the control connection is secured. Nothing
 * is said on them until the server has proven who it is. Thread-safe.
 */
final class PreconnectedSockets {
  /**
   * To a server these are strangers, of which it takes so many from one address. A path on which it
   * matters that more streams are connected one round trip sooner has long begun by then.
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

  /** This address answers: opens connections to it, of those that will be needed not too many. */
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

  /** Whether the transport has another way for data. */
  boolean hasOther() {
    return transport.other().isPresent();
  }

  /** The server takes no data in the other way. */
  synchronized void refuseOther() {
    otherRefused = true;
  }

  /** Whether the server has said that it takes no data in the other way. */
  synchronized boolean otherIsRefused() {
    return otherRefused;
  }

  /**
   * Before the other way is used.
   *
   * @param patience for each connection in it
   * @param failed hears of each that cannot be opened; any thread
   */
  synchronized void watchOther(Duration patience, Consumer<Throwable> failed) {
    otherMillis = patience.toMillis();
    otherFailed = failed;
  }

  /** A connection in the other way that the transport has. */
  synchronized CompletableFuture<DataConnection> dialOther(InetSocketAddress address) {
    Consumer<Throwable> failed = otherFailed;
    CompletableFuture<DataConnection> line = transport.other().orElseThrow().dialData(address);
    CompletableFuture<DataConnection> inTime =
        line.copy().orTimeout(otherMillis, TimeUnit.MILLISECONDS);
    return inTime.whenComplete(
        (connection, failure) -> {
          if (failure != null) {
            line.thenAccept(DataConnection::close); // it may come late
            failed.accept(failure);
          }
        });
  }

  /** Whether connections are dialled in the other way now. */
  synchronized boolean usesOther() {
    return useOther;
  }

  /** Whether connections are dialled in the other way from now on. */
  synchronized void useOther(boolean other) {
    useOther = other;
  }

  /** A connection to this address: one that is prepared, or a new one. */
  synchronized CompletableFuture<DataConnection> take(InetSocketAddress address) {
    if (useOther) {
      return dialOther(address);
    }
    CompletableFuture<DataConnection> line = address.equals(server) ? lines.poll() : null;
    return line == null ? transport.dialData(address) : line;
  }

  /** Closes what was not taken, and prepares no more. Idempotent. */
  synchronized void close() {
    closed = true;
    drop();
  }

  private void drop() {
    lines.forEach(line -> line.thenAccept(DataConnection::close));
    lines.clear();
  }
}
