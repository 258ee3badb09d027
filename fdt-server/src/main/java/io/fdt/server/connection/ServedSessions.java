package io.fdt.server.connection;

import io.fdt.core.engine.DataPath;
import io.fdt.core.engine.RunningSession;
import io.fdt.core.engine.Session;
import io.fdt.core.engine.SessionRuntime;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.filter.FileAccess;
import io.fdt.core.node.DialedSession;
import io.fdt.core.spec.SessionDeadlines;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.tuning.rate.RateSource;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Hello;
import io.fdt.core.wire.control.ResumeSession;
import io.fdt.core.wire.control.RunSession;
import io.fdt.core.wire.control.SessionOpened;
import io.fdt.core.wire.control.SessionResumed;
import io.fdt.core.wire.stripe.DataNode;
import io.fdt.server.limits.ConnectedClients;
import io.fdt.server.limits.Owner;
import io.fdt.server.session.AcceptedEvents;
import io.fdt.server.session.Client;
import io.fdt.server.session.PreparedSessions;
import io.fdt.server.session.ServerSessions;
import io.fdt.server.session.SessionFilters;
import io.fdt.server.session.SessionLog;
import io.fdt.server.session.SessionRequest;
import io.fdt.server.stripe.DataNodes;
import io.fdt.server.thirdparty.DirectedRun;
import io.fdt.server.thirdparty.DirectedRuns;
import io.fdt.server.thirdparty.ThirdParty;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Begins the session of one connection, accepted, dialled or resumed, and cleans up after it.
 * Confined to the event loop of the connection unless stated otherwise.
 */
public final class ServedSessions {
  /**
   * A session with its resources in the server that has not begun.
   *
   * @param rate its rate limit
   */
  record Opened(
      Session session, DataPath path, SessionRequest wanted, RateSource rate, SessionLog log) {}

  private static final Logger LOG = LoggerFactory.getLogger(ServedSessions.class);

  private final Client client;
  private final ControlConnection connection;
  private final ServerSessions sessions;
  private final PreparedSessions preparedSessions;
  private final ThirdParty thirdParty;
  private final DataNodes nodes;
  private final ConnectedClients clients;
  private final Function<SessionRequest, AcceptedEvents.Digests> digests;
  private final SessionDeadlines deadlines;
  private final Optional<Consumer<FileAccess>> accessLog;

  /**
   * @param digests takes the digests of the files that a session receives
   */
  public ServedSessions(
      Client client,
      ServerSessions sessions,
      ThirdParty thirdParty,
      DataNodes nodes,
      ConnectedClients clients,
      Function<SessionRequest, AcceptedEvents.Digests> digests,
      SessionDeadlines deadlines,
      Optional<Consumer<FileAccess>> accessLog) {
    this.client = client;
    this.connection = client.connection();
    this.sessions = sessions;
    this.preparedSessions = thirdParty.prepared();
    this.thirdParty = thirdParty;
    this.nodes = nodes;
    this.clients = clients;
    this.digests = digests;
    this.deadlines = deadlines;
    this.accessLog = accessLog;
  }

  /**
   * Dials another server, for a client that directs.
   *
   * @param director the client
   * @throws FdtException the request is invalid, or the server is at a limit
   */
  DirectedRun direct(RunSession wantedRun, SessionFilters agreed, DirectedRuns.Follower director)
      throws FdtException {
    SessionRequest own = agreed.request();
    SessionLog log = log(own);
    DirectedRun run =
        DirectedRun.start(
            wantedRun,
            own,
            client
                .trees()
                .work(own, wantedRun.getPeer().getTellState(), client.descriptors(), nodes.of(own)),
            thirdParty,
            Owner.of(client.grant(), connection.peerAddress()),
            new DirectedRun.Start(Hello.newBuilder().setTicket(wantedRun.getTicket()), director),
            new DirectedRun.Hooks() {
              @Override
              public RateSource begins(RunningSession dialled) throws FdtException {
                RateSource rate =
                    sessions.add(
                        dialled,
                        own,
                        client.grant(),
                        connection.peerAddress(),
                        client.trees().export(own));
                clients.came(); // as a client of its own: its director may go before it
                return rate;
              }

              @Override
              public void dataAddresses(
                  DialedSession dialled, List<DataNode> addresses, int streamsEach) {
                nodes.dial(dialled.id(), addresses, streamsEach);
              }

              @Override
              public SessionFilters filters() {
                return agreed;
              }

              @Override
              public SessionLog log() {
                return log;
              }

              @Override
              public void ended(RunningSession dialled, FdtException failure) {
                try {
                  clearUp(dialled, failure, agreed, log);
                } finally {
                  clients.left();
                }
              }
            });
    log.dialled(wantedRun.getAddress().getHost(), wantedRun.getAddress().getPort());
    return run;
  }

  /**
   * Creates a session for the client.
   *
   * @throws FdtException the server is at a limit
   */
  Opened open(SessionFilters agreed) throws FdtException {
    SessionRequest wanted = agreed.request();
    SessionLog log = log(wanted);
    Session session =
        new Session(wanted.id(), client.loop(), connection, deadlines, new Watch(agreed, log));
    String name = "fdt-" + wanted.id().shortName();
    DataPath path =
        client
            .trees()
            .work(wanted, false, client.descriptors(), nodes.of(wanted))
            .pipeline(
                new SessionRuntime(name, client.loop(), thirdParty.node().threads()),
                thirdParty.node().allocator(),
                wanted.spec(),
                session,
                roundTrip(wanted),
                new AcceptedEvents(session, name, agreed, log, digests.apply(wanted)));
    try {
      RateSource rate =
          sessions.add(
              session,
              wanted,
              client.grant(),
              connection.peerAddress(),
              client.trees().export(wanted));
      return new Opened(session, path, wanted, rate, log);
    } catch (FdtException | RuntimeException | Error e) { // it never begins
      nodes.forget(wanted);
      throw e;
    }
  }

  /** The round-trip time; unknown through a relay, because this end sees only the last part. */
  private Duration roundTrip(SessionRequest wanted) {
    Duration own = connection.roundTrip();
    return own.compareTo(wanted.roundTrip()) > 0 ? own : wanted.roundTrip();
  }

  /** Begins the session. */
  void begin(Opened opened) {
    SessionRequest wanted = opened.wanted();
    opened.path().limit(opened.rate(), wanted.isPull() ? wanted.rateLimit() : 0);
    opened.log().opened();
    List<DataNode> addresses = nodes.watch(wanted.id(), this::tellNodes);
    connection.send(
        Control.newBuilder()
            .setSessionOpened(
                SessionOpened.newBuilder().setNodes(nodes.described(connection, addresses)))
            .build());
    opened.session().start(opened.path());
    sessions.begun(opened.session());
  }

  /**
   * The session that a client, or a server with its ticket, wants to resume.
   *
   * @throws FdtException UNREACHABLE when unknown; FORBIDDEN when it belongs to another client
   */
  Session find(ResumeSession request) throws FdtException {
    byte[] bytes = request.getJoin().toByteArray();
    if (bytes.length != Join.LENGTH) {
      throw new FdtException(ErrorCode.PROTOCOL, "join of " + bytes.length + " bytes");
    }
    Join join = Join.read(Unpooled.wrappedBuffer(bytes));
    if (client.prepared() != null) {
      preparedSessions.checkResumes(client.prepared(), join.session());
    }
    return sessions.accepted().resume(join);
  }

  /**
   * Resumes a session over this connection. On the loop of the session.
   *
   * @param refuse takes the reason for a refusal
   */
  void resume(Session resumed, long receivedByPeer, Consumer<FdtException> refuse) {
    Control answer =
        Control.newBuilder()
            .setSessionResumed(SessionResumed.newBuilder().setReceived(resumed.received()))
            .build();
    try {
      resumed.resume(connection, answer, receivedByPeer);
      tellNodes(nodes.watch(resumed.id(), this::tellNodes));
      LOG.info("session resumed session={} peer={}", resumed.id().shortName(), connection.peer());
    } catch (FdtException e) {
      refuse.accept(e);
    }
  }

  /** Sends the peer the addresses for data connections. Any thread. */
  private void tellNodes(List<DataNode> addresses) {
    connection.send(
        Control.newBuilder().setDataNodes(nodes.described(connection, addresses)).build());
  }

  private SessionLog log(SessionRequest request) {
    return new SessionLog(
        request, client.grant(), connection.peer(), client.trees().export(request), accessLog);
  }

  private void clearUp(
      RunningSession ended, FdtException cause, SessionFilters filters, SessionLog log) {
    boolean isOver = // the client cancels a network test when its time is over
        cause != null && cause.code() == ErrorCode.CANCELLED && filters.request().isNettest();
    FdtException failure = isOver ? null : cause;
    sessions.remove(ended, failure); // whatever else fails, its places are free
    nodes.forget(filters.request());
    filters.after(failure);
    if (client.prepared() != null) {
      preparedSessions.forget(client.prepared());
    }
    log.ended(ended.progress().figures(), failure);
  }

  /** Logs events of the session that this connection opened, and cleans up after it. */
  private final class Watch implements Session.Listener {
    private final SessionFilters filters;
    private final SessionLog log;

    Watch(SessionFilters filters, SessionLog log) {
      this.filters = filters;
      this.log = log;
    }

    @Override
    public void detached(Session detached, FdtException cause) {
      LOG.info(
          "session waits for its client session={} reason={}",
          detached.id().shortName(),
          cause.getMessage());
    }

    @Override
    public void stalled(Session stalled) {
      LOG.warn(
          "session stalled session={} peer={} seconds={}",
          stalled.id().shortName(),
          connection.peer(),
          TimeUnit.NANOSECONDS.toSeconds(stalled.stalledNanos()));
    }

    @Override
    public void ended(Session ended, FdtException failure) {
      try {
        clearUp(ended, failure, filters, log);
      } finally {
        clients.left();
      }
    }
  }
}
