package io.fdt.server;

import io.fdt.core.buffer.BlockAllocator;
import io.fdt.core.engine.Session;
import io.fdt.core.engine.SessionDeadlines;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.transport.tcp.EventLoops;
import io.fdt.core.transport.tcp.TcpServer;
import io.fdt.core.wire.Join;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Exposes directories to clients on one port. Any thread. */
public final class FdtServer implements AutoCloseable {
  /** The port of a server that was not told another one. */
  public static final int DEFAULT_PORT = 54321;

  private static final Logger LOG = LoggerFactory.getLogger(FdtServer.class);

  /** How long transfers in flight may take to tell their clients and to clean up. */
  private static final Duration STOP_DEADLINE = Duration.ofSeconds(4);

  private final List<Export> exports;
  private final InetSocketAddress wanted;
  private final boolean stopAfterLastClient;
  private final SessionDeadlines deadlines;
  private final EventLoops loops = new EventLoops("fdt-server");
  private final ByteBufAllocator allocator = BlockAllocator.create(loops.size());
  private final ExecutorService requests =
      Executors.newCachedThreadPool(
          work -> {
            Thread thread = new Thread(work, "fdt-server-request");
            thread.setDaemon(true);
            return thread;
          });
  private final ServerSessions sessions = new ServerSessions();
  private final AtomicInteger clients = new AtomicInteger();
  private final AtomicBoolean stopping = new AtomicBoolean();
  private final CompletableFuture<Void> stopped = new CompletableFuture<>();
  private final TcpServer tcp;
  private ExportedRoots roots;

  private FdtServer(Builder builder) {
    this.exports = List.copyOf(builder.exports);
    this.wanted =
        builder.bind == null
            ? new InetSocketAddress(builder.port)
            : new InetSocketAddress(builder.bind, builder.port);
    this.stopAfterLastClient = builder.stopAfterLastClient;
    this.deadlines = builder.deadlines;
    this.tcp = new TcpServer(loops, allocator, new Connections());
  }

  public static Builder builder() {
    return new Builder();
  }

  /**
   * Opens the exports and the port; clients may connect when this returns.
   *
   * @throws FdtException an export is no directory or cannot be read, the port is taken, ...
   */
  public void start() throws FdtException {
    List<ExportedRoots.ExportedRoot> opened = new ArrayList<>();
    for (Export export : exports) {
      opened.add(
          new ExportedRoots.ExportedRoot(
              export.name(), export.directory(), export.access() == Export.Access.READ_WRITE));
    }
    roots = ExportedRoots.open(opened);
    if (wanted.isUnresolved()) {
      throw new FdtException(
          ErrorCode.USAGE, "cannot listen on " + wanted.getHostString() + ": unknown host");
    }
    tcp.start(wanted);
    LOG.info("server started address={} exports={}", address(), exports.size());
  }

  /** Where it listens; the port is the real one also when any was asked for. */
  public InetSocketAddress address() {
    return tcp.address();
  }

  /**
   * Completes when the server has stopped: after {@link #close}, or by itself after its last client
   * if told so.
   */
  public CompletableFuture<Void> stopped() {
    return stopped;
  }

  /**
   * Takes no more clients, gives transfers in flight a clear end, and waits for at most 5 s.
   * Idempotent.
   */
  @Override
  public void close() {
    if (!stopping.compareAndSet(false, true)) {
      stopped.join();
      return;
    }
    tcp.stopListening();
    sessions.abortAll(
        new FdtException(ErrorCode.SHUTTING_DOWN, "the server is stopping"), STOP_DEADLINE);
    tcp.close();
    requests.shutdownNow();
    loops.close();
    if (roots != null) {
      roots.close();
    }
    LOG.info("server stopped");
    stopped.complete(null);
  }

  private void clientLeft() {
    if (clients.decrementAndGet() == 0 && stopAfterLastClient) {
      Thread closer = new Thread(this::close, "fdt-server-close");
      closer.setDaemon(true);
      closer.start();
    }
  }

  /** What becomes of connections. */
  private final class Connections implements TcpServer.Acceptor {
    @Override
    public ControlConnection.Handler control(ControlConnection connection, EventLoop loop) {
      return new ClientConnection(
          connection,
          loop,
          new ClientConnection.Host(
              roots,
              allocator,
              requests,
              sessions,
              deadlines,
              clients::incrementAndGet,
              FdtServer.this::clientLeft));
    }

    @Override
    public TcpServer.Seat join(Join join, String peer) throws FdtException {
      ServerSessions.Seated seated = sessions.join(join);
      Session session = seated.session();
      return new TcpServer.Seat(seated.settings().streams(), session::attach);
    }
  }

  /** Collects the settings of a server. Not thread-safe. */
  public static final class Builder {
    private final List<Export> exports = new ArrayList<>();
    private int port = DEFAULT_PORT;
    private String bind;
    private boolean stopAfterLastClient;
    private SessionDeadlines deadlines = SessionDeadlines.DEFAULT;

    private Builder() {}

    /** Adds an export; at least one is needed. */
    public Builder export(Export export) {
      exports.add(Objects.requireNonNull(export));
      return this;
    }

    /** 0 for any free port. Default: {@link #DEFAULT_PORT}. */
    public Builder port(int port) {
      this.port = port;
      return this;
    }

    /** The address to listen on. Default: all. */
    public Builder bind(String address) {
      this.bind = address;
      return this;
    }

    /** Stop when the last client has gone. Default: false. */
    public Builder stopAfterLastClient(boolean value) {
      this.stopAfterLastClient = value;
      return this;
    }

    /** How long a peer may be silent before it counts as gone. Default: 30 s. */
    public Builder idleTimeout(Duration timeout) {
      this.deadlines = deadlines.withIdleTimeout(timeout);
      return this;
    }

    /**
     * How long a session whose connection was lost waits for its client; zero ends it at once.
     * Default: 5 min.
     */
    public Builder retryTimeout(Duration timeout) {
      this.deadlines = deadlines.withRetryTimeout(timeout);
      return this;
    }

    public FdtServer build() {
      if (exports.isEmpty()) {
        throw new IllegalArgumentException("no export");
      }
      return new FdtServer(this);
    }
  }
}
