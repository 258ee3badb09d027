package io.fdt.server;

import io.fdt.core.error.FdtException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Exposes directories to clients on one port. Any thread. */
@SuppressWarnings("DoNotCallSuggester")
public final class FdtServer implements AutoCloseable {
  /** The port of a server that was not told another one. */
  public static final int DEFAULT_PORT = 54321;

  private FdtServer() {}

  public static Builder builder() {
    return new Builder();
  }

  /**
   * Opens the exports and the port; clients may connect when this returns.
   *
   * @throws FdtException an export is no directory or cannot be read, the port is taken, ...
   */
  public void start() throws FdtException {
    throw new UnsupportedOperationException();
  }

  /** Where it listens; the port is the real one also when any was asked for. */
  public InetSocketAddress address() {
    throw new UnsupportedOperationException();
  }

  /**
   * Completes when the server has stopped: after {@link #close}, or by itself after its last client
   * if told so.
   */
  public CompletableFuture<Void> stopped() {
    throw new UnsupportedOperationException();
  }

  /**
   * Takes no more clients, gives transfers in flight a clear end, and waits for at most 5 s.
   * Idempotent.
   */
  @Override
  public void close() {}

  /** Collects the settings of a server. Not thread-safe. */
  public static final class Builder {
    /** Adds an export; at least one is needed. */
    public Builder export(Export export) {
      return this;
    }

    /** 0 for any free port. Default: {@link #DEFAULT_PORT}. */
    public Builder port(int port) {
      return this;
    }

    /** The address to listen on. Default: all. */
    public Builder bind(String address) {
      return this;
    }

    /** Stop when the last client has gone. Default: false. */
    public Builder stopAfterLastClient(boolean value) {
      return this;
    }

    /** How long a peer may be silent before it counts as gone. Default: 30 s. */
    public Builder idleTimeout(Duration timeout) {
      return this;
    }

    public FdtServer build() {
      return new FdtServer();
    }
  }
}
