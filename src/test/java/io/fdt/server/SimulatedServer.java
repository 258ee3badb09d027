package io.fdt.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.engine.FileDigests;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.filter.Filters;
import io.fdt.core.node.AcceptedSessions;
import io.fdt.core.node.Node;
import io.fdt.core.node.SessionWork;
import io.fdt.core.node.Software;
import io.fdt.core.node.Stripe;
import io.fdt.core.security.DialRule;
import io.fdt.core.security.Identity;
import io.fdt.core.security.ServerTls;
import io.fdt.core.security.TokenBook;
import io.fdt.core.session.RandomDataset;
import io.fdt.core.simulation.SimulatedDestination;
import io.fdt.core.simulation.SimulatedProcess;
import io.fdt.core.simulation.SimulatedSource;
import io.fdt.core.spec.SessionDeadlines;
import io.fdt.core.storage.ExportedStorage;
import io.fdt.core.storage.OpenFileLimit;
import io.fdt.core.transport.Acceptor;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.transport.EventLoops;
import io.fdt.core.transport.ListenSettings;
import io.fdt.core.transport.StreamSlot;
import io.fdt.core.transport.Transport;
import io.fdt.core.transport.memory.MemoryNetwork;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.Welcome;
import io.fdt.server.connection.ClientConnection;
import io.fdt.server.connection.ClientHandlers;
import io.fdt.server.connection.RequestDispatcher;
import io.fdt.server.connection.ServedSessions;
import io.fdt.server.limits.ConnectedClients;
import io.fdt.server.limits.ReadPace;
import io.fdt.server.session.PreparedSessions;
import io.fdt.server.session.ServerSessions;
import io.fdt.server.session.SessionAdmission;
import io.fdt.server.session.SessionFilters;
import io.fdt.server.session.SessionRequest;
import io.fdt.server.session.SessionRules;
import io.fdt.server.session.SessionTrees;
import io.fdt.server.stripe.DataNodes;
import io.fdt.server.thirdparty.DirectedRuns;
import io.fdt.server.thirdparty.ThirdParty;
import io.fdt.server.thirdparty.ThirdPartyRequests;
import io.fdt.storage.local.LocalExports;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * A server in virtual time: the connections, sessions, tickets and directed sessions of production,
 * over connections in memory and trees that exist nowhere.
 */
public final class SimulatedServer {
  /** Who the servers are, and whom they let in; made once. */
  public record Keys(Identity identity, ServerTls tls, ExportedStorage roots, TokenBook tokens)
      implements AutoCloseable {
    public static Keys make() throws FdtException {
      Identity identity = Identity.generate();
      return new Keys(
          identity,
          new ServerTls(identity, List.of()),
          LocalExports.open(List.of()),
          new TokenBook(TOKEN, Optional.empty()));
    }

    @Override
    public void close() {
      tls.close();
      roots.close();
      tokens.close();
    }
  }

  /**
   * What it serves.
   *
   * @param source read by sessions that send
   * @param destination written by sessions that receive
   */
  public record Files(RandomDataset source, SimulatedDestination destination) {}

  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
  private static final String TOKEN = "token";

  private final SimulatedProcess process;
  private final Files files;
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false, true);
  private final ServerSessions sessions = ServerLimits.DEFAULT.openSessions();
  private final ConnectedClients clients =
      new ConnectedClients(ServerLimits.DEFAULT.clients(), sessions.descriptors(), () -> {});
  private final DirectedRuns runs;
  private final Transport.Listener listener;
  private final List<SimulatedSource> sources = new ArrayList<>();

  /**
   * Starts one.
   *
   * @param port which must be free
   */
  public SimulatedServer(
      SimulatedProcess process,
      MemoryNetwork network,
      int port,
      Keys keys,
      Files files,
      SessionDeadlines deadlines)
      throws FdtException {
    this.process = process;
    this.files = files;
    this.runs = new DirectedRuns(process::nanoTime);
    EventLoops loops = new EventLoops(process.loops());
    Transport transport =
        network.create(loops, allocator, CONNECT_TIMEOUT, keys.identity().fingerprint());
    Node node = new Node(loops, process, allocator, transport);
    Executor threads = work -> process.start("request", work);
    DialRule rule = DialRule.usual(true);
    ThirdParty thirdParty =
        new ThirdParty(
            true,
            node,
            rule,
            new PreparedSessions(process::nanoTime),
            runs,
            () -> CompletableFuture.completedFuture(null));
    SessionRules rules = new SessionRules(false, false);
    DataNodes nodes =
        new DataNodes(
            (connection, some) -> io.fdt.core.wire.control.DataNodes.getDefaultInstance());
    SessionFilters.Setup setup =
        new SessionFilters.Setup(Filters.NONE, path -> null, threads, threads);
    ClientHandlers handlers =
        new ClientHandlers(
            clients,
            keys.tokens(),
            thirdParty.prepared(),
            nodes,
            Welcome.newBuilder().setSoftware(Software.name()).setRefusesUdp(true).build(),
            ServerLimits.DEFAULT.handshake(),
            deadlines,
            grant -> new Trees(),
            client -> new SessionAdmission(client, sessions, rules, setup, deadlines.idleTimeout()),
            client ->
                new ServedSessions(
                    client,
                    sessions,
                    thirdParty,
                    nodes,
                    clients,
                    wanted -> (size, digest) -> {},
                    deadlines,
                    Optional.empty()),
            client ->
                new ThirdPartyRequests(
                    client, thirdParty, rules, threads, deadlines, clients.refusals()),
            client ->
                new RequestDispatcher(
                    client,
                    new RequestDispatcher.Host(
                        keys.roots(),
                        threads,
                        new FileDigests(allocator),
                        new ReadPace(sessions.rates(), client.grant(), client.address()),
                        deadlines.idleTimeout(),
                        () -> keys.tokens().check(client.grant()),
                        null,
                        clients.refusals(),
                        Optional.empty())));
    listener =
        transport.listen(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
            new ListenSettings(
                CompletableFuture.completedFuture(keys.tls()),
                ServerLimits.DEFAULT.strangers(),
                ServerLimits.DEFAULT.handshake()),
            new Accepting(handlers, sessions.accepted()));
  }

  /** The token that lets clients in. */
  public static String token() {
    return TOKEN;
  }

  /** The process that it runs in. */
  public SimulatedProcess process() {
    return process;
  }

  /** Nobody can connect to it any more; for one whose process has died. */
  public void stopListening() {
    listener.stopListening();
  }

  /**
   * Makes sure that it holds nothing of any session.
   *
   * @param memory whether its memory counts; what was sent to a process that died is not given back
   */
  public void assertHoldsNothing(String which, boolean memory) {
    assertThat(clients.connected()).as("connections of %s", which).isZero();
    assertThat(sessions.memory().taken()).as("sessions of %s", which).isZero();
    assertThat(clients.count()).as("clients of %s", which).isZero();
    assertThat(sources.stream().mapToInt(SimulatedSource::openFiles).sum())
        .as("files of %s that are open for reading", which)
        .isZero();
    if (memory) {
      assertThat(allocator.metric().usedHeapMemory() + allocator.metric().usedDirectMemory())
          .as("memory of frames of %s", which)
          .isZero();
    }
  }

  /** What becomes of connections to it. */
  private record Accepting(ClientHandlers handlers, AcceptedSessions sessions) implements Acceptor {
    @Override
    public Optional<ErrorCode> refusal(InetAddress address) {
      return Optional.empty();
    }

    @Override
    public ControlConnection.Handler control(ControlConnection connection, EventLoop loop) {
      return new ClientConnection(connection, loop, handlers);
    }

    @Override
    public CompletableFuture<Void> awaitSession(SessionId session, InetAddress address) {
      return sessions.awaitBegun(session, address);
    }

    @Override
    public StreamSlot join(Join join, String peer, boolean encrypted) throws FdtException {
      return sessions.slot(join, encrypted);
    }
  }

  /** The same files for everybody. */
  private final class Trees implements SessionTrees {
    @Override
    public SessionWork work(
        SessionRequest wanted, boolean hearsState, OpenFileLimit openFiles, Stripe stripe) {
      if (wanted.isPull()) {
        SimulatedSource source = new SimulatedSource(files.source());
        sources.add(source);
        return new SessionWork.Sends(source, wanted.tellsState(), wanted.detailed(), stripe);
      }
      return new SessionWork.Receives(
          files.destination().tree(), hearsState, wanted.detailed(), stripe);
    }

    @Override
    public void check(SessionRequest wanted) {}

    @Override
    public String export(SessionRequest wanted) {
      return "files";
    }
  }
}
