package io.fdt.client;

import io.fdt.core.error.FdtException;
import io.fdt.core.manifest.BytePath;
import java.time.Duration;
import java.util.List;

/** Moves datasets to and from one server. Any thread; several transfers may run at once. */
@SuppressWarnings("DoNotCallSuggester")
public final class FdtClient implements AutoCloseable {
  /** The port of a server that was not told another one. */
  public static final int DEFAULT_PORT = 54321;

  private FdtClient() {}

  /** A client for the server at this host name or address. */
  public static Builder builder(String host) {
    return new Builder();
  }

  /** Starts a transfer. Never throws for what the network or a disk does: that is in the report. */
  public Transfer start(TransferRequest request, TransferListener listener) {
    throw new UnsupportedOperationException();
  }

  /** Starts a transfer from memory to memory that ends by itself. */
  public Transfer start(NettestRequest request) {
    throw new UnsupportedOperationException();
  }

  /** What a directory of the server holds, sorted by name; of anything else, itself. */
  public List<RemoteFile> list(BytePath path) throws FdtException, InterruptedException {
    throw new UnsupportedOperationException();
  }

  /** Cancels what still runs. Idempotent. */
  @Override
  public void close() {}

  /** Collects the settings of a client. Not thread-safe. */
  public static final class Builder {
    private Builder() {}

    /** Default: {@link #DEFAULT_PORT}. */
    public Builder port(int port) {
      return this;
    }

    /** How long a connection may take to come about. Default: 10 s. */
    public Builder connectTimeout(Duration timeout) {
      return this;
    }

    /** How long a peer may be silent before it counts as gone. Default: 30 s. */
    public Builder idleTimeout(Duration timeout) {
      return this;
    }

    public FdtClient build() {
      return new FdtClient();
    }
  }
}
