package io.fdt.client;

import io.fdt.client.directed.DirectedEnd;
import io.fdt.client.directed.DirectedSession;
import io.fdt.client.directed.RemoteSessions;
import io.fdt.client.remote.RefusedException;
import io.fdt.client.remote.RelayRoutes;
import io.fdt.client.remote.RemoteConnection;
import io.fdt.client.transfer.ClientTransfer;
import io.fdt.client.transfer.FilteringTransfer;
import io.fdt.client.transfer.PathTester;
import io.fdt.client.transfer.RunningTransfers;
import io.fdt.client.transfer.StreamCountCache;
import io.fdt.client.transfer.TransferPlan;
import io.fdt.core.engine.meter.HostLimitsReader;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.filter.Filters;
import io.fdt.core.model.Affinity;
import io.fdt.core.model.BytePath;
import io.fdt.core.node.Dialer;
import io.fdt.core.node.Node;
import io.fdt.core.placement.Placement;
import io.fdt.core.placement.Topology;
import io.fdt.core.security.Background;
import io.fdt.core.security.ClientTls;
import io.fdt.core.security.DialRule;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.spec.SessionDeadlines;
import io.fdt.core.tuning.Finding;
import io.fdt.core.tuning.HostLimits;
import io.fdt.core.wire.Preface;
import io.fdt.core.wire.control.Hello;
import io.fdt.storage.Storages;
import io.fdt.storage.local.os.ThreadProcessors;
import io.fdt.udt.transport.UdtTransport;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Transfers files to and from one server. Any thread; several transfers may run at once.
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
  private final DialRule rule;
  private final boolean encryptsData;
  private final Filters filters;
  private final Optional<StreamCountCache> memory;
  private final CompletableFuture<ClientTls> tls;
  private final Optional<FdtClient> relay;
  private final Optional<RelayRoutes> routes;
  private final boolean dialsServers;
  private final boolean overUdp;
  private final boolean wantsAutoThroughRelay;
  private final RunningTransfers running;

  private FdtClient(Builder builder) {
    this.host = builder.host;
    this.port = builder.port;
    this.hostForServers = builder.hostForServers == null ? host : builder.hostForServers;
    this.portForServers = builder.hostForServers == null ? port : builder.portForServers;
    this.deadlines = builder.deadlines;
    this.connectTimeout = builder.connectTimeout;
    this.trust = builder.trust;
    this.rule = builder.rule;
    this.encryptsData = builder.encryptsData;
    this.filters = builder.filters;
    this.memory = Optional.ofNullable(builder.memory);
    this.token = Optional.ofNullable(builder.token);
    this.tls = Background.run("fdt-client-tls", () -> trust.tls(builder.certificates, builder.key));
    this.relay = Optional.ofNullable(builder.relay).map(Builder::build);
    this.overUdp = builder.transport == UdtTransport.UDP;
    this.routes = relay.map(way -> new RelayRoutes(way::dialer, builder.further()));
    this.node = routes.map(this::nodeThrough).orElseGet(() -> directNode(builder));
    this.wantsAutoThroughRelay = relay.isPresent() && builder.transport == UdtTransport.AUTO;
    this.dialsServers = builder.dialsServers;
    this.running = new RunningTransfers(node, deadlines.retryTimeout());
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
    return ServerUri.builder(server);
  }

  /**
   * Starts a transfer. Failures of the network or of a disk are in the report, not thrown.
   *
   * @throws IllegalArgumentException no storage of a local path's scheme is installed
   */
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
            (agreed, results) -> start(TransferPlan.of(agreed), results));
    running.add(transfer).start();
    return transfer;
  }

  /** Starts a transfer from memory to memory for a given time. */
  public Transfer start(NettestRequest request) {
    return start(request, TransferListener.NONE);
  }

  /** The same, with the observations of the sender for {@code listener}. */
  public Transfer start(NettestRequest request, TransferListener listener) {
    return start(TransferPlan.of(request), listener);
  }

  private Transfer start(TransferPlan asked, TransferListener listener) {
    TransferPlan plan = node.transport().udp().isPresent() ? asked.receivingState() : asked;
    if (wantsAutoThroughRelay && !plan.spec().dryRun()) {
      listener.notice(
          "data stays on TCP: through a relay, UDP is not tried; "
              + Setting.DATA_TRANSPORT.with("udt,tcp")
              + " uses it for the first part of the route");
    }
    return running.start(
        (events, agreed) -> new ClientTransfer(dialer(), plan, memory, events, agreed),
        plan.reasonNotToRepeat().isPresent() || plan.endsAfter().isPresent(),
        plan.spec().dryRun(),
        listener);
  }

  /**
   * Starts a transfer from this client's server to another one. Data flows between the servers,
   * directed by this client; one server connects to the other.
   *
   * @param destination the client of the server that receives; only its address, trust and token
   *     are used
   * @param request made by {@link TransferRequest#between}
   */
  public Transfer start(FdtClient destination, TransferRequest request, TransferListener listener) {
    request.checkBetween();
    DirectedEnd from = directedEnd();
    DirectedEnd to = destination.directedEnd();
    return running.start(
        (events, agreed) -> new DirectedSession(from, to, request, events, agreed),
        false,
        request.spec().dryRun(),
        listener);
  }

  /**
   * Starts a transfer from this client's server to another one, and detaches: once both servers
   * have agreed, it continues without a client. {@link #attach} finds it again.
   *
   * @param destination the client of the server that receives
   * @param request made by {@link TransferRequest#between}
   * @param listener receives notices until then
   */
  public Detachment startDetached(
      FdtClient destination, TransferRequest request, TransferListener listener) {
    return startDetached(destination, request, listener, DetachHook.OPEN);
  }

  /**
   * Starts a detached transfer; calls {@code hook} once, when both servers are ready, before they
   * begin.
   */
  public Detachment startDetached(
      FdtClient destination, TransferRequest request, TransferListener listener, DetachHook hook) {
    DirectedSession session =
        new DirectedSession(directedEnd(), destination.directedEnd(), request, listener, hook);
    running.add(session).start();
    return new Detachment(session);
  }

  /**
   * Follows a transfer between two servers that this client's server runs, or has run in the last
   * 24 hours, with the same token. {@link Transfer#cancel} cancels the transfer at both servers;
   * {@link Transfer#close} leaves it running.
   *
   * @param id of the transfer, or at least its first eight digits
   * @param listener receives the problems so far, then all events
   */
  public AttachedTransfer attach(String id, TransferListener listener) {
    AttachedTransfer transfer =
        new AttachedTransfer(directedEnd(), id, listener, deadlines.retryTimeout());
    running.add(transfer).start();
    return transfer;
  }

  /**
   * The transfers with other servers that this client's server runs, or has run in the last 24
   * hours, with this token only.
   *
   * @throws FdtException the server cannot be reached, or refuses this client
   */
  public List<RemoteSession> sessions() throws FdtException, InterruptedException {
    return RemoteSessions.list(directedEnd());
  }

  /**
   * The state of the relays on the route to the server, the nearest first; empty without relays.
   * Blocks.
   *
   * @throws FdtException a relay cannot be asked
   */
  public List<RelayFigures> relays() throws FdtException {
    List<RelayFigures> all = new ArrayList<>();
    if (relay.isPresent()) {
      all.addAll(relay.get().relays());
      all.addAll(routes.orElseThrow().figures());
    }
    return all;
  }

  /**
   * The server's version, its round-trip time, and the rights of this client.
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

  /**
   * Connects to the server, and returns the fingerprint of its proven key. Needs no token. Blocks.
   *
   * @throws FdtException the server cannot be reached, or is not trusted
   */
  public String serverKey() throws FdtException {
    RemoteConnection connection = RemoteConnection.open(dialer());
    connection.close();
    return connection.key().toString();
  }

  /**
   * Whether this client's server reaches another one and identifies it. Blocks.
   *
   * @param other the client of the other server
   * @throws FdtException one of the servers cannot be asked
   */
  public boolean reaches(FdtClient other) throws FdtException, InterruptedException {
    return DirectedSession.reaches(directedEnd(), other.directedEnd());
  }

  /** The credentials for a server, which need not be reachable now. */
  HandOver.Destination asDestination() throws FdtException {
    Fingerprint key = trust.keyOf(host, port);
    return new HandOver.Destination(hostForServers, portForServers, key, hello(key).getToken());
  }

  /** The limits of this host that affect transfers. */
  public static HostLimits describeThisHost() {
    return HostLimitsReader.read();
  }

  /**
   * Sets where the threads of all later transfers of this process run, those of servers in it too.
   * Default: anywhere.
   *
   * @throws FdtException USAGE for a list of processors of which this process may use none
   */
  public static void placeThreads(Affinity affinity) throws FdtException {
    Placement.use(affinity, () -> Topology.of(Topology.SYS), new ThreadProcessors());
  }

  /** The nodes of memory of this host, with their processors, network cards and disks. */
  public static Finding describeNodes() {
    return new Finding(
        Finding.Grade.OK, "memory nodes", Placement.machine(Topology.of(Topology.SYS)), List.of());
  }

  /** The requests of storages to slow down that this process has got, a line for each. */
  public static List<String> slowedBy() {
    return Storages.slowedBy();
  }

  /** Where threads of this process were placed, such as "eth0 on processors 16-31". */
  public static Set<String> threadPlaces() {
    return Set.copyOf(Placement.ofProcess().places());
  }

  /**
   * Tests the network, and waits for the result.
   *
   * @param server its description
   * @throws FdtException the test failed
   */
  public PathTest test(NettestRequest request, RemoteHost server)
      throws FdtException, InterruptedException {
    PathTester tester = new PathTester();
    TransferReport report = start(TransferPlan.of(request), tester).await();
    return tester.result(request, report, describeThisHost(), server.limits());
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

  /** The client's token; without one, the user's token for this server. */
  private Hello.Builder hello(Fingerprint server) throws FdtException {
    String secret =
        token.isPresent() ? token.get().secret() : trust.tokenFor(host, port, server).orElse("");
    return Hello.newBuilder().setToken(secret);
  }

  private Node nodeThrough(RelayRoutes ways) {
    return Node.through(
        ways, "fdt-client", connectTimeout, UdtTransport.through(ways, firstPartIsOverUdp()));
  }

  private static Node directNode(Builder builder) {
    return new Node("fdt-client", builder.connectTimeout, builder.transport);
  }

  /** Whether data uses UDP to the first machine: a relay, or the server itself. */
  private boolean firstPartIsOverUdp() {
    return relay.map(FdtClient::firstPartIsOverUdp).orElse(overUdp);
  }

  private DirectedEnd directedEnd() {
    return new DirectedEnd(dialer(), hostForServers, portForServers, dialsServers);
  }

  Dialer dialer() {
    return new Dialer(
        node,
        host,
        port,
        tls,
        trust::check,
        this::hello,
        rule,
        encryptsData,
        connectTimeout,
        deadlines);
  }

  /** Cancels running transfers; waits up to 2 s for them to store their measurements. */
  @Override
  public void close() {
    running.close();
    memory.ifPresent(StreamCountCache::awaitWritten);
    node.close();
    relay.ifPresent(FdtClient::close);
  }

  /** Collects the settings of a client. Not thread-safe. */
  public static final class Builder extends ClientSettings<Builder> {
    private Builder(String host) {
      super(host);
    }

    @Override
    Builder self() {
      return this;
    }

    /** Makes the client. */
    public FdtClient build() {
      return new FdtClient(this);
    }

    /** How data continues from the relay. */
    private RelayRoutes.Further further() {
      return new RelayRoutes.Further(
          transport == UdtTransport.UDP, relayCongestion, relay.relayCongestion);
    }
  }
}
