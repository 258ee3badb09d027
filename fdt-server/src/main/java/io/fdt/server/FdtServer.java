package io.fdt.server;

import io.fdt.core.engine.FileDigests;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.filter.Filters;
import io.fdt.core.node.DialRule;
import io.fdt.core.node.Node;
import io.fdt.core.security.AddressRange;
import io.fdt.core.security.Background;
import io.fdt.core.security.ClientTls;
import io.fdt.core.security.Identity;
import io.fdt.core.security.LocalServerRegistry;
import io.fdt.core.security.ServerTls;
import io.fdt.core.spec.SessionDeadlines;
import io.fdt.core.transport.ListenSettings;
import io.fdt.core.transport.Transport;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Exposes directories to clients on one port. Any thread. */
public final class FdtServer implements AutoCloseable {
  /** The port of a server that was not told another one. */
  public static final int DEFAULT_PORT = 54321;

  /** What clients without a token are called. */
  static final String ANONYMOUS = "anonymous";

  private static final Logger LOG = LoggerFactory.getLogger(FdtServer.class);

  /** How long transfers in flight may take to tell their clients and to clean up. */
  private static final Duration STOP_DEADLINE = Duration.ofSeconds(4);

  /**
   * How long filters of transfers that have ended may still take when the server is told to stop.
   */
  private static final Duration FILTER_DEADLINE = Duration.ofSeconds(8);

  /** And when it ends by itself. */
  private static final Duration FILTER_PATIENCE = Duration.ofHours(24);

  private final List<Export> exports;
  private final InetSocketAddress wanted;
  private final boolean stopAfterLastClient;
  private final SessionDeadlines deadlines;
  private final Node node;
  private final ServerLimits limits;
  private final ServerThreads threads;
  private final FileDigests digests;
  private final ServerSessions sessions;
  private final Quota places;
  private final RefusalCounts refusals = new RefusalCounts();
  private final Optional<InetSocketAddress> metricsWanted;
  private final AtomicInteger clients = new AtomicInteger();
  private final AtomicBoolean stopping = new AtomicBoolean();
  private final CompletableFuture<Void> stopped = new CompletableFuture<>();
  private final ServerCredentials.Files credentialFiles;
  private final boolean requireEncryption;
  private final Filters filters;
  private final boolean allowPrivileged;
  private final boolean trustsOwnProcess;
  private final boolean takesThirdParty;
  private final Optional<List<AddressRange>> dialTo;
  private ServedExports served;
  private ServerCredentials credentials;
  private AccessWatch watch;
  private Transport.Listener listener;
  private MetricsEndpoint metrics;

  private FdtServer(Builder builder) {
    this.exports = List.copyOf(builder.exports);
    this.wanted =
        builder.bind == null
            ? new InetSocketAddress(builder.port)
            : new InetSocketAddress(builder.bind, builder.port);
    this.stopAfterLastClient = builder.stopAfterLastClient;
    this.credentialFiles =
        new ServerCredentials.Files(
            Optional.ofNullable(builder.home),
            Optional.ofNullable(builder.certificates),
            Optional.ofNullable(builder.key),
            Optional.ofNullable(builder.clientAuthority),
            Optional.ofNullable(builder.anonymous),
            Optional.ofNullable(builder.allowedAddresses));
    this.requireEncryption = builder.requireEncryption;
    this.filters = builder.filters;
    this.allowPrivileged = builder.allowPrivileged;
    this.trustsOwnProcess = builder.trustsOwnProcess;
    this.takesThirdParty = builder.takesThirdParty;
    this.dialTo = Optional.ofNullable(builder.dialTo);
    this.metricsWanted = Optional.ofNullable(builder.metrics);
    this.deadlines = builder.deadlines;
    this.node = new Node("fdt-server", ThirdParty.CONNECT_TIMEOUT, builder.transport);
    this.digests = new FileDigests(node.allocator());
    this.limits = builder.limits.within(DescriptorBudget.ofProcess());
    this.threads = new ServerThreads(limits.clients());
    this.sessions = new ServerSessions(limits);
    this.places = new Quota("clients", limits.clients());
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
    CompletableFuture<Identity> identified = ServerCredentials.identify(credentialFiles);
    served = ServedExports.open(exports);
    if (wanted.isUnresolved()) {
      throw new FdtException(
          ErrorCode.USAGE, "cannot listen on " + wanted.getHostString() + ": unknown host");
    }
    credentials = ServerCredentials.open(credentialFiles, identified);
    watch = new AccessWatch(credentials.tokens(), sessions);
    if (trustsOwnProcess) {
      LocalServerRegistry.add(credentials.identity().fingerprint(), credentials.localToken());
    }
    listener =
        node.transport()
            .listen(
                wanted,
                new ListenSettings(credentials.tls(), limits.strangers(), limits.handshake()),
                new ServerAcceptor(credentials, host()));
    watch.start();
    sessions.rates().start();
    if (metricsWanted.isPresent()) {
      metrics =
          new MetricsEndpoint(
              metricsWanted.get(),
              new ServerFigures(sessions.ledger(), refusals, places, sessions.memory()));
      metrics.start();
    }
    LOG.info(
        "server started address={} exports={} identity={}",
        address(),
        exports.size(),
        credentials.identity().fingerprint());
  }

  /** A server that only its own host reaches may reach its own host. */
  private ThirdParty thirdParty() {
    boolean ownHost = wanted.getAddress().isLoopbackAddress();
    DialRule rule = dialTo.map(DialRule::only).orElse(DialRule.usual(ownHost));
    return new ThirdParty(
        takesThirdParty,
        node,
        rule,
        new PreparedSessions(System::nanoTime),
        new DirectedRuns(System::nanoTime),
        () ->
            Background.run(
                "fdt-server-dial-tls", () -> ClientTls.ofServer(credentials.identity())));
  }

  /**
   * The token that lets the user of this server in, with all rights; a secret. Clients of the same
   * process, or with the same home, find it by themselves.
   */
  public String localToken() {
    return credentials.localToken();
  }

  /** Who clients see, to be pinned by them: "SHA256:...". */
  public String fingerprint() {
    return credentials.identity().fingerprint().toString();
  }

  /** Where it listens; the port is the real one also when any was asked for. */
  public InetSocketAddress address() {
    return listener.address();
  }

  /** Where Prometheus finds its figures, at /metrics; empty without {@link Builder#metrics}. */
  public Optional<InetSocketAddress> metricsAddress() {
    return Optional.ofNullable(metrics).map(MetricsEndpoint::address);
  }

  /**
   * Completes when the server has stopped: after {@link #close}, or by itself after its last client
   * if told so.
   */
  public CompletableFuture<Void> stopped() {
    return stopped;
  }

  /**
   * Takes no more clients, gives transfers in flight a clear end, and waits for at most 6 s; for
   * filters of transfers that have ended, 8 s more. Idempotent.
   */
  @Override
  public void close() {
    close(FILTER_DEADLINE);
  }

  private void close(Duration filterDeadline) {
    if (!stopping.compareAndSet(false, true)) {
      stopped.join();
      return;
    }
    if (listener != null) {
      listener.stopListening();
    }
    sessions.abortAll(
        new FdtException(ErrorCode.SHUTTING_DOWN, "the server is stopping"), STOP_DEADLINE);
    if (listener != null) {
      listener.close();
      credentials.tls().thenAccept(ServerTls::close);
      if (trustsOwnProcess) {
        LocalServerRegistry.remove(credentials.identity().fingerprint());
      }
      watch.close();
    }
    sessions.rates().close();
    if (metrics != null) {
      metrics.close();
    }
    threads.close(filterDeadline);
    node.close();
    if (served != null) {
      served.roots().close();
    }
    LOG.info("server stopped");
    stopped.complete(null);
  }

  private void clientLeft() {
    if (clients.decrementAndGet() == 0 && stopAfterLastClient) {
      Thread closer = new Thread(() -> close(FILTER_PATIENCE), "fdt-server-close");
      closer.setDaemon(true);
      closer.start();
    }
  }

  /** What each connection needs. */
  private ConnectionHost host() {
    return new ConnectionHost(
        served.roots(),
        credentials.tokens(),
        requireEncryption,
        allowPrivileged,
        node.allocator(),
        threads.requests(),
        threads.afterwards(),
        digests,
        sessions,
        thirdParty(),
        places,
        refusals,
        filters,
        served::onThisMachine,
        limits.handshake(),
        deadlines,
        clients::incrementAndGet,
        this::clientLeft);
  }

  /** Collects the settings of a server. Not thread-safe. */
  public static final class Builder {
    private final List<Export> exports = new ArrayList<>();
    private int port = DEFAULT_PORT;
    private boolean trustsOwnProcess = true;
    private boolean takesThirdParty = true;
    private List<AddressRange> dialTo;
    private String bind;
    private boolean stopAfterLastClient;
    private Path home;
    private Path certificates;
    private Path key;
    private Path clientAuthority;
    private Export.Access anonymous;
    private Path allowedAddresses;
    private InetSocketAddress metrics;
    private boolean requireEncryption;
    private Filters filters = Filters.NONE;
    private boolean allowPrivileged;
    private SessionDeadlines deadlines = SessionDeadlines.DEFAULT;
    private ServerLimits limits = ServerLimits.DEFAULT;
    private Transport.Factory transport = Node.TCP;

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

    /**
     * Where the server keeps its identity and its tokens from one start to the next. Default:
     * nowhere, each start makes new ones.
     */
    public Builder home(Path directory) {
      this.home = Objects.requireNonNull(directory, "directory");
      return this;
    }

    /**
     * Whether clients of this process know the server and its token without being told. Default:
     * true.
     */
    public Builder trustOwnProcess(boolean value) {
      this.trustsOwnProcess = value;
      return this;
    }

    /**
     * The identity that a CA has given. Default: one that the server makes.
     *
     * @param certificateFile the certificate and those above it, PEM
     * @param keyFile its private key, PEM (PKCS#8 without a password)
     */
    public Builder certificate(Path certificateFile, Path keyFile) {
      this.certificates = Objects.requireNonNull(certificateFile, "certificateFile");
      this.key = Objects.requireNonNull(keyFile, "keyFile");
      return this;
    }

    /**
     * Takes clients without a token as well, on purpose. Default: it does not.
     *
     * @param access what they may do; exports that are read-only stay so
     */
    public Builder anonymous(Export.Access access) {
      this.anonymous = Objects.requireNonNull(access, "access");
      return this;
    }

    /**
     * What runs before and after each transfer of files, but not around a dry run. Default:
     * nothing.
     */
    public Builder filters(Filters value) {
      this.filters = Objects.requireNonNull(value, "filters");
      return this;
    }

    /** Takes only sessions whose data is within TLS. Default: false. */
    public Builder requireEncryption(boolean value) {
      this.requireEncryption = value;
      return this;
    }

    /**
     * Lets clients set owners, special bits of modes and extended attributes of the system, as far
     * as the process can, and read the latter. Who may write as root with that is root. Default:
     * false.
     */
    public Builder allowPrivileged(boolean value) {
      this.allowPrivileged = value;
      return this;
    }

    /**
     * Takes connections from listed addresses only. Default: from all.
     *
     * @param file one address, range (192.0.2.0/24) or host name a line
     */
    public Builder allowedAddresses(Path file) {
      this.allowedAddresses = Objects.requireNonNull(file, "file");
      return this;
    }

    /**
     * Take only clients with a certificate that an authority has signed. Default: clients need
     * none.
     *
     * @param file the certificates of the authority, PEM
     */
    public Builder clientAuthority(Path file) {
      this.clientAuthority = Objects.requireNonNull(file, "file");
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

    /**
     * How long a session may go on without any progress while the client answers; then it ends.
     * Default: 10 min.
     */
    public Builder stallTimeout(Duration timeout) {
      this.deadlines = deadlines.withStallTimeout(timeout);
      return this;
    }

    /**
     * Shows figures to Prometheus, over HTTP at /metrics; whoever reaches that address can read
     * them, names of exports and tokens among them. Default: nowhere.
     *
     * @param address port 0 for any free one
     */
    public Builder metrics(InetSocketAddress address) {
      this.metrics = Objects.requireNonNull(address, "address");
      return this;
    }

    /** How much clients may have at the same time. Default: {@link ServerLimits#DEFAULT}. */
    public Builder limits(ServerLimits value) {
      this.limits = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Whether clients may direct transfers between this server and others. Default: true. */
    public Builder thirdParty(boolean value) {
      this.takesThirdParty = value;
      return this;
    }

    /**
     * The addresses to which this server connects for such transfers. Default: all but loopback,
     * link-local, multicast and unspecified ones; loopback too when the server listens only there.
     *
     * @param ranges addresses and ranges: 192.0.2.7, 192.0.2.0/24, 2001:db8::/32
     * @throws IllegalArgumentException one of them is neither
     */
    public Builder dialTo(List<String> ranges) {
      this.dialTo = ranges.stream().map(AddressRange::parse).toList();
      return this;
    }

    /** How connections come about. Default: TCP. */
    public Builder transport(Transport.Factory value) {
      this.transport = Objects.requireNonNull(value, "transport");
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
