package io.fdt.server;

import io.fdt.core.engine.FileDigests;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.filter.FileAccess;
import io.fdt.core.filter.Filters;
import io.fdt.core.model.Grant;
import io.fdt.core.node.Node;
import io.fdt.core.node.Software;
import io.fdt.core.security.AddressRange;
import io.fdt.core.security.Background;
import io.fdt.core.security.ClientTls;
import io.fdt.core.security.DialRule;
import io.fdt.core.security.Identity;
import io.fdt.core.security.LocalServerRegistry;
import io.fdt.core.security.ServerTls;
import io.fdt.core.security.TokenBook;
import io.fdt.core.spec.SessionDeadlines;
import io.fdt.core.storage.ExportedStorage;
import io.fdt.core.transport.ListenSettings;
import io.fdt.core.wire.control.Welcome;
import io.fdt.server.access.AccessWatch;
import io.fdt.server.access.ServerCredentials;
import io.fdt.server.connection.ClientHandlers;
import io.fdt.server.connection.ListenAddresses;
import io.fdt.server.connection.RelayRequests;
import io.fdt.server.connection.RequestDispatcher;
import io.fdt.server.connection.ServedSessions;
import io.fdt.server.connection.ServerAcceptor;
import io.fdt.server.delivery.Deliveries;
import io.fdt.server.delivery.DeliveryContext;
import io.fdt.server.limits.ConnectedClients;
import io.fdt.server.limits.DescriptorBudget;
import io.fdt.server.limits.Owner;
import io.fdt.server.limits.ReadPace;
import io.fdt.server.limits.ServerThreads;
import io.fdt.server.metrics.MetricsEndpoint;
import io.fdt.server.metrics.ServerFigures;
import io.fdt.server.relay.Relay;
import io.fdt.server.relay.RelayParts;
import io.fdt.server.session.AcceptedEvents;
import io.fdt.server.session.ExportTrees;
import io.fdt.server.session.PreparedSessions;
import io.fdt.server.session.ServerSessions;
import io.fdt.server.session.SessionAdmission;
import io.fdt.server.session.SessionFilters;
import io.fdt.server.session.SessionRequest;
import io.fdt.server.session.SessionRules;
import io.fdt.server.spool.PassingSpool;
import io.fdt.server.spool.Spool;
import io.fdt.server.stripe.DataNodes;
import io.fdt.server.stripe.NodeMembership;
import io.fdt.server.thirdparty.DirectedRuns;
import io.fdt.server.thirdparty.ThirdParty;
import io.fdt.server.thirdparty.ThirdPartyRequests;
import io.fdt.server.web.WebClient;
import io.fdt.server.web.WebHost;
import io.fdt.server.web.WebPort;
import io.fdt.server.web.WebTransfer;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Exposes directories to clients on one port. Any thread. */
public final class FdtServer implements AutoCloseable {
  /** The default port of servers. */
  public static final int DEFAULT_PORT = 54321;

  private static final Logger LOG = LoggerFactory.getLogger(FdtServer.class);

  /** Time for running transfers to notify their clients and clean up. */
  private static final Duration STOP_DEADLINE = Duration.ofSeconds(4);

  /** Time for filters of ended transfers after {@link #close}. */
  private static final Duration FILTER_DEADLINE = Duration.ofSeconds(8);

  /** The same when the server stops after its last client. */
  private static final Duration FILTER_PATIENCE = Duration.ofHours(24);

  private final List<Export> exports;
  private final boolean allowSharedExports;
  private final ListenAddresses addresses;
  private final boolean stopAfterLastClient;
  private final SessionDeadlines deadlines;
  private final Node node;
  private final ServerLimits limits;
  private final ServerThreads threads;
  private final FileDigests digests;
  private final ServerSessions sessions;
  private final ConnectedClients clients;
  private final Optional<InetSocketAddress> metricsWanted;
  private final Optional<InetSocketAddress> webWanted;
  private final Optional<Consumer<FileAccess>> accessLog;
  private final AtomicBoolean stopping = new AtomicBoolean();
  private final CompletableFuture<Void> stopped = new CompletableFuture<>();
  private final ServerCredentials.Files credentialFiles;
  private final SessionRules rules;
  private final Filters filters;
  private final boolean trustsOwnProcess;
  private final Optional<FrontEnd> frontEnd;
  private final DataNodes nodes;
  private final Optional<PassingSpool> passing;
  private final Optional<Deliveries> deliveries;
  private final DialRule relayRule;
  private final List<String> offeredRelays;
  private final ThirdParty thirdParty;
  private final Relay relay;
  private NodeMembership membership;
  private ServedExports served;
  private ServerCredentials credentials;
  private AccessWatch watch;
  private boolean listening;
  private MetricsEndpoint metrics;
  private WebPort web;

  FdtServer(FdtServerBuilder builder) {
    Optional<Spool> spool = Optional.ofNullable(builder.spool);
    this.deliveries = spool.map(Deliveries::new);
    this.passing =
        spool.map(one -> new PassingSpool(one, deliveries.get().quota(), System::nanoTime));
    this.exports =
        Stream.concat(builder.exports.stream(), spool.map(FdtServer::export).stream()).toList();
    this.addresses =
        new ListenAddresses(builder.bind, builder.port, Optional.ofNullable(builder.dataPorts));
    this.stopAfterLastClient = builder.stopAfterLastClient;
    this.credentialFiles =
        new ServerCredentials.Files(
            Optional.ofNullable(builder.home),
            Optional.ofNullable(builder.certificates),
            Optional.ofNullable(builder.key),
            Optional.ofNullable(builder.clientAuthority),
            Optional.ofNullable(builder.anonymous)
                .map(access -> Owner.anonymous(access == Export.Access.READ_ONLY)),
            Optional.ofNullable(builder.allowedAddresses));
    this.allowSharedExports = builder.allowSharedExports;
    this.rules = new SessionRules(builder.requireEncryption, builder.allowPrivileged);
    this.filters = builder.filters;
    this.trustsOwnProcess = builder.trustsOwnProcess;
    this.offeredRelays = builder.offeredRelays;
    this.relayRule = rule(builder.relayTo, false).of(Setting.RELAY_TO);
    this.frontEnd = Optional.ofNullable(builder.frontEnd);
    this.metricsWanted = Optional.ofNullable(builder.metrics);
    this.webWanted = Optional.ofNullable(builder.http);
    this.accessLog = Optional.ofNullable(builder.accessLog);
    this.deadlines = builder.deadlines;
    this.node = new Node("fdt-server", ThirdParty.CONNECT_TIMEOUT, builder.transport);
    this.digests = new FileDigests(node.allocator());
    this.limits = builder.limits.within(DescriptorBudget.ofProcess());
    this.nodes =
        new DataNodes(
            (connection, others) ->
                addresses.told(connection, credentials.identity().fingerprint(), others));
    this.threads = new ServerThreads(limits.clients());
    this.sessions = limits.openSessions();
    this.clients =
        new ConnectedClients(limits.clients(), sessions.descriptors(), this::lastClientLeft);
    this.thirdParty =
        new ThirdParty(
            builder.takesThirdParty,
            node,
            rule(builder.dialTo, addresses.areLoopback()),
            new PreparedSessions(System::nanoTime),
            new DirectedRuns(System::nanoTime),
            () ->
                Background.run(
                    "fdt-server-dial-tls", () -> ClientTls.ofServer(credentials.identity())));
    this.relay =
        new Relay(
            builder.relays,
            relayRule,
            sessions.rates(),
            RelayParts.of(node),
            passing,
            System::nanoTime);
  }

  public static FdtServerBuilder builder() {
    return new FdtServerBuilder();
  }

  /**
   * Opens the exports and the port; clients may connect when this returns.
   *
   * @throws FdtException an export is not a directory or cannot be read, the port is taken, ...
   */
  public void start() throws FdtException {
    CompletableFuture<Identity> identified = ServerCredentials.identify(credentialFiles);
    if (deliveries.isPresent()) {
      deliveries.get().open();
    }
    served = ServedExports.open(exports, allowSharedExports);
    if (frontEnd.isPresent() && !served.areDirectories()) {
      throw new FdtException(
          ErrorCode.USAGE, "a data node exports directories only; leave the other storages out");
    }
    addresses.check();
    credentials = ServerCredentials.open(credentialFiles, identified);
    if (trustsOwnProcess) {
      LocalServerRegistry.add(credentials.identity().fingerprint(), credentials.localToken());
    }
    watch =
        new AccessWatch(
            credentials.tokens(),
            sessions.descriptors(),
            tokens -> {
              sessions.endRevoked(tokens);
              relay.endRevoked(tokens);
            });
    if (deliveries.isPresent()) {
      deliveries
          .get()
          .load(
              new DeliveryContext(
                  credentials.tokens(),
                  rules,
                  sessions,
                  nodes,
                  thirdParty,
                  deadlines,
                  served.roots(),
                  new ExportTrees(served.roots()),
                  accessLog),
              relayRule);
    }
    addresses.open(
        node.transport(),
        new ListenSettings(credentials.tls(), limits.strangers(), limits.handshake()),
        new ServerAcceptor(credentials, handlers(), sessions.accepted(), relay));
    listening = true;
    deliveries.ifPresent(Deliveries::start);
    watch.start();
    sessions.rates().start();
    if (metricsWanted.isPresent()) {
      metrics =
          new MetricsEndpoint(
              metricsWanted.get(),
              new ServerFigures(sessions.ledger(), clients, sessions.memory(), relay, deliveries));
      metrics.start();
    }
    if (webWanted.isPresent()) {
      web = WebPort.open(webWanted.get(), webHost());
    }
    if (frontEnd.isPresent()) {
      membership =
          frontEnd
              .get()
              .join(thirdParty, served.roots(), sessions.accepted(), addresses.dataPort());
      membership.start();
    }
    LOG.info(
        "server started port={} address={} exports={} identity={}",
        address().getPort(),
        addresses.text(),
        exports.size(),
        credentials.identity().fingerprint());
  }

  /** The rule for dialed addresses; a server that listens only on loopback may dial loopback. */
  private static DialRule rule(List<AddressRange> ranges, boolean isLoopback) {
    return ranges == null ? DialRule.usual(isLoopback) : DialRule.only(ranges);
  }

  /**
   * The token of the user of this server, with all rights; a secret. Clients in the same process,
   * or with the same home, find it automatically.
   */
  public String localToken() {
    return credentials.localToken();
  }

  /** The fingerprint of the server's key, for clients to pin: "SHA256:...". */
  public String fingerprint() {
    return credentials.identity().fingerprint().toString();
  }

  /** The first listening address, with the actual port even if any port was requested. */
  public InetSocketAddress address() {
    return addresses.first();
  }

  /** The port for data connections: that of {@link #address} unless a range is set. */
  public int dataPort() {
    return addresses.dataPort();
  }

  /** The address for Prometheus, at /metrics; empty without {@link FdtServerBuilder#metrics}. */
  public Optional<InetSocketAddress> metricsAddress() {
    return Optional.ofNullable(metrics).map(MetricsEndpoint::address);
  }

  /** The address of HTTPS; empty without {@link FdtServerBuilder#http}. */
  public Optional<InetSocketAddress> httpAddress() {
    return Optional.ofNullable(web).map(WebPort::address);
  }

  /** The number of connected data nodes. */
  public int dataNodes() {
    return nodes.addresses().size();
  }

  /**
   * Completes when the server has stopped: after {@link #close}, or after its last client with
   * {@link FdtServerBuilder#stopAfterLastClient}.
   */
  public CompletableFuture<Void> stopped() {
    return stopped;
  }

  /**
   * Accepts no more clients, ends running transfers with a message, and waits for at most 6 s; for
   * filters of ended transfers, 8 s more. Idempotent.
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
    addresses.stopListening();
    if (web != null) {
      web.close();
    }
    deliveries.ifPresent(Deliveries::close);
    if (membership != null) {
      membership.close();
    }
    sessions.abortAll(
        new FdtException(ErrorCode.SHUTTING_DOWN, "the server is stopping"), STOP_DEADLINE);
    addresses.close();
    if (listening) {
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
    if (listening) {
      passing.ifPresent(PassingSpool::close);
    }
    deliveries.ifPresent(Deliveries::unlock);
    if (served != null) {
      served.roots().close();
    }
    if (listening) {
      LOG.info("server stopped");
    }
    stopped.complete(null);
  }

  private void lastClientLeft() {
    if (stopAfterLastClient) {
      Thread closer = new Thread(() -> close(FILTER_PATIENCE), "fdt-server-close");
      closer.setDaemon(true);
      closer.start();
    }
  }

  private static Export export(Spool spool) {
    return new Export(Spool.EXPORT, spool.data(), Export.Access.READ_WRITE);
  }

  private ExportedStorage exports(Grant grant) {
    return served.roots().view(grant.exports(), grant.readOnly());
  }

  private ExportedStorage roots(Grant grant) {
    ExportedStorage all = exports(grant);
    return deliveries.map(one -> one.confined(all, grant)).orElse(all);
  }

  /** The exports of a client over HTTP: without the spool, whose files are for relays. */
  private ExportedStorage webRoots(Grant grant) {
    ExportedStorage all = exports(grant);
    return deliveries.isEmpty() ? all : all.without(Spool.EXPORT, Optional.empty());
  }

  private WebHost webHost() {
    WebClient.Server admitting =
        new WebClient.Server(
            credentials.tokens(),
            clients,
            this::webRoots,
            thirdParty,
            accessLog,
            new WebTransfer.Books(sessions.rates(), sessions.ledger()));
    return new WebHost(
        node,
        credentials.tls(),
        credentials::refusal,
        admitting::admit,
        threads.requests(),
        clients.refusals(),
        thirdParty.rule(),
        limits.handshake(),
        deadlines,
        Math.max(2, limits.strangers() / 2));
  }

  private AcceptedEvents.Digests digestsOf(SessionRequest wanted) {
    return deliveries.map(one -> one.digestsOf(wanted)).orElse((size, digest) -> {});
  }

  private ClientHandlers handlers() {
    TokenBook tokens = credentials.tokens();
    SessionFilters.Setup setup =
        new SessionFilters.Setup(
            filters, served::onThisMachine, threads.requests(), threads.afterwards());
    return new ClientHandlers(
        clients,
        tokens,
        thirdParty.prepared(),
        nodes,
        Welcome.newBuilder()
            .setSoftware(Software.name())
            .setRefusesUdp(!relay.hasDatagrams())
            .build(),
        limits.handshake(),
        deadlines,
        grant -> new ExportTrees(roots(grant)),
        client -> new SessionAdmission(client, sessions, rules, setup, deadlines.idleTimeout()),
        client ->
            new ServedSessions(
                client,
                sessions,
                thirdParty,
                nodes,
                clients,
                this::digestsOf,
                deadlines,
                accessLog),
        client ->
            new ThirdPartyRequests(
                client, thirdParty, rules, threads.requests(), deadlines, clients.refusals()),
        client ->
            new RequestDispatcher(
                client,
                new RequestDispatcher.Host(
                    roots(client.grant()),
                    threads.requests(),
                    digests,
                    new ReadPace(sessions.rates(), client.grant(), client.address()),
                    deadlines.idleTimeout(),
                    () -> tokens.check(client.grant()),
                    new RelayRequests(
                        relay, deliveries, offeredRelays, client.grant(), client.address()),
                    clients.refusals(),
                    accessLog)));
  }
}
