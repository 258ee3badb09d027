package io.fdt.client;

import io.fdt.core.engine.HostLimitsReader;
import io.fdt.core.error.FdtException;
import io.fdt.core.filter.Filters;
import io.fdt.core.model.BytePath;
import io.fdt.core.node.DialRule;
import io.fdt.core.node.Dialer;
import io.fdt.core.node.Node;
import io.fdt.core.security.Background;
import io.fdt.core.security.ClientTls;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.spec.SessionDeadlines;
import io.fdt.core.transport.Transport;
import io.fdt.core.tuning.HostLimits;
import io.fdt.core.wire.Preface;
import io.fdt.core.wire.control.Hello;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Moves datasets to and from one server. Any thread; several transfers may run at once.
 *
 * <pre>{@code
 * try (FdtClient client = FdtClient.builder("data.example.org").build()) {
 *   TransferReport report =
 *       client
 *           .start(
 *               TransferRequest.pull().source("/data").destination(Path.of(".")).recursive(true).build(),
 *               TransferListener.NONE)
 *           .await();
 * }
 * }</pre>
 */
public final class FdtClient implements AutoCloseable {
  /** The default port of servers. */
  public static final int DEFAULT_PORT = 54321;

  /** The version of the protocol; both ends must have the same. */
  public static final int PROTOCOL_VERSION = Preface.VERSION;

  private final String host;
  private final int port;
  private final String hostForServers;
  private final int portForServers;
  private final SessionDeadlines deadlines;
  private final Duration connectTimeout;
  private final Node node;
  private final ServerTrust trust;
  private final Optional<AccessToken> token;
  private final boolean encryptsData;
  private final Filters filters;
  private final Optional<StreamCountCache> memory;
  private final CompletableFuture<ClientTls> tls;
  private final Optional<FdtClient> relay;
  private final Set<Transfer> running = ConcurrentHashMap.newKeySet();

  private FdtClient(Builder builder) {
    this.host = builder.host;
    this.port = builder.port;
    this.hostForServers = builder.hostForServers == null ? host : builder.hostForServers;
    this.portForServers = builder.hostForServers == null ? port : builder.portForServers;
    this.deadlines = builder.deadlines;
    this.connectTimeout = builder.connectTimeout;
    this.trust = builder.trust;
    this.encryptsData = builder.encryptsData;
    this.filters = builder.filters;
    this.memory = Optional.ofNullable(builder.memory);
    this.token = Optional.ofNullable(builder.token);
    this.tls = Background.run("fdt-client-tls", () -> trust.tls(builder.certificates, builder.key));
    this.relay = Optional.ofNullable(builder.relay).map(Builder::build);
    this.node =
        relay
            .map(way -> Node.through(new RelayRoutes(way::dialer), "fdt-client", connectTimeout))
            .orElseGet(() -> new Node("fdt-client", connectTimeout, builder.transport));
  }

  /** A client for the server at this host name or address. */
  public static Builder builder(String host) {
    return new Builder(host);
  }

  /**
   * A client for the server of a URI: {@code fdt://host} or {@code fdt://host:port}.
   *
   * @throws IllegalArgumentException it has another scheme, or no host
   */
  public static Builder builder(URI server) {
    if (!"fdt".equals(server.getScheme()) || server.getHost() == null) {
      throw new IllegalArgumentException("'" + server + "' is not of the form fdt://host[:port]");
    }
    String host = server.getHost();
    boolean bracketed = host.startsWith("[") && host.endsWith("]");
    Builder builder = builder(bracketed ? host.substring(1, host.length() - 1) : host);
    return server.getPort() < 0 ? builder : builder.port(server.getPort());
  }

  /** Starts a transfer. Failures of the network or of a disk are in the report, not thrown. */
  public Transfer start(TransferRequest request, TransferListener listener) {
    if (filters.isEmpty() || request.spec().dryRun()) {
      return start(TransferPlan.of(request), listener);
    }
    FilteringTransfer transfer =
        new FilteringTransfer(
            host + ":" + port,
            filters,
            request,
            listener,
            (agreed, heard) -> start(TransferPlan.of(agreed), heard));
    remember(transfer);
    transfer.start();
    return transfer;
  }

  /** Starts a transfer from memory to memory that ends by itself. */
  public Transfer start(NettestRequest request) {
    return start(TransferPlan.of(request), TransferListener.NONE);
  }

  private Transfer start(TransferPlan plan, TransferListener listener) {
    return run(
        (told, agreed) -> new ClientTransfer(dialer(), plan, memory, told, agreed),
        plan.reasonNotToRepeat().isPresent(),
        plan.spec().dryRun(),
        listener);
  }

  private Transfer run(
      ContinuedTransfer.Sessions sessions,
      boolean once,
      boolean dryRun,
      TransferListener listener) {
    if (once || deadlines.retryTimeout().isZero()) {
      SessionOfTransfer only = sessions.next(listener, () -> {});
      remember(only);
      only.start();
      return only;
    }
    ContinuedTransfer transfer =
        new ContinuedTransfer(
            sessions, node.loops().next(), listener, dryRun, deadlines.retryTimeout());
    remember(transfer);
    transfer.start();
    return transfer;
  }

  /**
   * Starts a transfer from this client's server to another one: the data goes between the servers,
   * and this client directs them. One of the servers connects to the other.
   *
   * @param destination the client of the server that receives; only its address, trust and token
   *     are used
   * @param request made by {@link TransferRequest#between}
   */
  public Transfer start(FdtClient destination, TransferRequest request, TransferListener listener) {
    request.checkBetween();
    DirectedEnd from = directedEnd();
    DirectedEnd to = destination.directedEnd();
    return run(
        (told, agreed) -> new DirectedSession(from, to, request, false, told, agreed),
        false,
        request.spec().dryRun(),
        listener);
  }

  /**
   * Starts a transfer from this client's server to another one, and leaves it to them: as soon as
   * both have agreed, it goes on without a client. {@link #attach} finds it again.
   *
   * @param destination the client of the server that receives
   * @param request made by {@link TransferRequest#between}
   * @param listener hears of notices until then
   */
  public Departure startDetached(
      FdtClient destination, TransferRequest request, TransferListener listener) {
    request.checkBetween();
    DirectedSession session =
        new DirectedSession(
            directedEnd(), destination.directedEnd(), request, true, listener, () -> {});
    remember(session);
    session.start();
    return new Departure(session);
  }

  /**
   * Follows a transfer between two servers that this client's server runs, or has run in the last
   * 24 hours: one of the same token. {@link Transfer#cancel} ends the transfer for both servers;
   * {@link Transfer#close} leaves it running.
   *
   * @param id of the transfer, or at least its first eight digits
   * @param listener hears of the problems so far, and then of everything
   */
  public AttachedTransfer attach(String id, TransferListener listener) {
    AttachedTransfer transfer =
        new AttachedTransfer(directedEnd(), id, listener, deadlines.retryTimeout());
    remember(transfer);
    transfer.start();
    return transfer;
  }

  /**
   * The transfers to and from other servers that this client's server runs, and those that have
   * ended in the last 24 hours; of this token only.
   *
   * @throws FdtException the server cannot be reached, or takes nobody like this client
   */
  public List<RemoteSession> sessions() throws FdtException, InterruptedException {
    return RemoteSessions.list(directedEnd());
  }

  private void remember(Transfer transfer) {
    running.add(transfer);
    transfer.completion().whenComplete((report, defect) -> running.remove(transfer));
  }

  /**
   * The server's version, its distance, and what this client may do there.
   *
   * @throws FdtException the server cannot be reached, or refuses this client
   */
  public RemoteHost describeServer() throws FdtException, InterruptedException {
    RemoteConnection connection = RemoteConnection.open(dialer());
    try {
      return connection.describe();
    } catch (RefusedException e) {
      throw e.cause();
    } finally {
      connection.close();
    }
  }

  /** The limits of this host that matter to transfers. */
  public static HostLimits describeThisHost() {
    return HostLimitsReader.read();
  }

  /**
   * Tests the network, and waits for the result.
   *
   * @param server its description of itself
   * @throws FdtException the test failed
   */
  public PathTest test(NettestRequest request, RemoteHost server)
      throws FdtException, InterruptedException {
    PathTester tester = new PathTester();
    TransferReport report = start(TransferPlan.of(request), tester).await();
    HostLimits here = describeThisHost();
    return request.direction() == TransferRequest.Direction.PUSH
        ? tester.result(request, report, here, server.limits())
        : tester.result(request, report, server.limits(), here);
  }

  /**
   * Lists a directory of the server, sorted by name; or the file itself.
   *
   * @throws FdtException the server cannot be reached, or there is no such path
   */
  public List<RemoteFile> list(BytePath path) throws FdtException, InterruptedException {
    try (RemoteFiles files = files()) {
      return files.list(path);
    }
  }

  /** Lists, creates, renames and removes files. The caller closes it. */
  public RemoteFiles files() {
    return new RemoteFiles(dialer());
  }

  /** The client's token; without one, what the user has for this server. */
  private Hello.Builder hello(Fingerprint server) throws FdtException {
    String secret =
        token.isPresent() ? token.get().secret() : trust.tokenFor(host, port, server).orElse("");
    return Hello.newBuilder().setToken(secret);
  }

  private DirectedEnd directedEnd() {
    return new DirectedEnd(dialer(), hostForServers, portForServers);
  }

  Dialer dialer() {
    return new Dialer(
        node,
        host,
        port,
        tls,
        trust::check,
        this::hello,
        DialRule.ANYWHERE,
        encryptsData,
        connectTimeout,
        deadlines);
  }

  /** Cancels running transfers; waits up to 2 s for them to store what they measured. */
  @Override
  public void close() {
    running.forEach(Transfer::close);
    memory.ifPresent(StreamCountCache::awaitWritten);
    node.close();
    relay.ifPresent(FdtClient::close);
  }

  /** Collects the settings of a client. Not thread-safe. */
  public static final class Builder {
    private final String host;
    private int port = DEFAULT_PORT;
    private Builder relay;
    private String hostForServers;
    private int portForServers;
    private ServerTrust trust = ServerTrust.sameProcess();
    private AccessToken token;
    private boolean encryptsData;
    private StreamCountCache memory;
    private Filters filters = Filters.NONE;
    private Path certificates;
    private Path key;
    private Duration connectTimeout = Duration.ofSeconds(10);
    private SessionDeadlines deadlines = SessionDeadlines.DEFAULT;
    private Transport.Factory transport = Node.TCP;

    private Builder(String host) {
      this.host = Objects.requireNonNull(host, "host");
    }

    /** Default: {@link #DEFAULT_PORT}. */
    public Builder port(int port) {
      if (port < 1 || port > 65535) {
        throw new IllegalArgumentException("port " + port + " is not between 1 and 65535");
      }
      this.port = port;
      return this;
    }

    /**
     * Where other servers reach this one, when that is not where this client does. Default: the
     * same place.
     */
    public Builder addressForServers(String otherHost, int otherPort) {
      this.hostForServers = Objects.requireNonNull(otherHost, "otherHost");
      this.portForServers = otherPort;
      return this;
    }

    /** Which servers to trust. Default: {@link ServerTrust#sameProcess}. */
    public Builder trust(ServerTrust value) {
      this.trust = Objects.requireNonNull(value, "trust");
      return this;
    }

    /** The token. Default: none, but servers of the same process or home get their own. */
    public Builder token(AccessToken value) {
      this.token = Objects.requireNonNull(value, "token");
      return this;
    }

    /**
     * A client certificate, for servers that require one. Default: none.
     *
     * @param certificateFile the certificate and its chain, PEM
     * @param keyFile its private key, PEM (PKCS#8 without a password)
     */
    public Builder certificate(Path certificateFile, Path keyFile) {
      this.certificates = Objects.requireNonNull(certificateFile, "certificateFile");
      this.key = Objects.requireNonNull(keyFile, "keyFile");
      return this;
    }

    /** Whether data is encrypted, as control always is. Default: false; data is checksummed. */
    public Builder encryptData(boolean value) {
      this.encryptsData = value;
      return this;
    }

    /** Filters, which run before and after each transfer of files, not dry runs. Default: none. */
    public Builder filters(Filters value) {
      this.filters = Objects.requireNonNull(value, "filters");
      return this;
    }

    /**
     * The directory in which auto-tuned transfers store the number of streams that they found, for
     * the next transfer to the same server: in the file {@code paths}. Created when missing.
     * Default: nothing is stored.
     */
    public Builder rememberPaths(Path directory) {
      this.memory = new StreamCountCache(directory);
      return this;
    }

    /** The timeout for connecting. Default: 10 s. */
    public Builder connectTimeout(Duration timeout) {
      this.connectTimeout = timeout;
      return this;
    }

    /** How long a silent peer counts as connected. Default: 30 s. */
    public Builder idleTimeout(Duration timeout) {
      this.deadlines = deadlines.withIdleTimeout(timeout);
      return this;
    }

    /**
     * How long a transfer tries to reconnect, also to a restarted server; zero: not at all.
     * Default: 5 min.
     */
    public Builder retryTimeout(Duration timeout) {
      this.deadlines = deadlines.withRetryTimeout(timeout);
      return this;
    }

    /** How long a transfer may make no progress while the server answers. Default: 10 min. */
    public Builder stallTimeout(Duration timeout) {
      this.deadlines = deadlines.withStallTimeout(timeout);
      return this;
    }

    /** Whether data goes over UDP, with UDT, which the server must take. Default: TCP. */
    public Builder udt(boolean value) {
      return transport(value ? Node.UDT : Node.TCP);
    }

    /**
     * Reaches the server through a relay: a server that was started with {@code --relay}, perhaps
     * through another one. Keys and digests are those of the two ends.
     */
    public Builder via(Builder value) {
      this.relay = Objects.requireNonNull(value, "relay");
      return this;
    }

    /** For tests of FDT itself: the transport, without {@link #via}. Default: TCP. */
    public Builder transport(Transport.Factory value) {
      this.transport = Objects.requireNonNull(value, "transport");
      return this;
    }

    public FdtClient build() {
      return new FdtClient(this);
    }
  }
}
