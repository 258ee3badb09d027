package io.fdt.server.connection;

import io.fdt.core.engine.DataPath;
import io.fdt.core.engine.RunningSession;
import io.fdt.core.engine.Session;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.engine.SessionRuntime;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.metrics.Progress;
import io.fdt.core.node.DialedSession;
import io.fdt.core.security.Grant;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.tuning.RateSource;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Hello;
import io.fdt.core.wire.control.ResumeSession;
import io.fdt.core.wire.control.RunSession;
import io.fdt.core.wire.control.SessionOpened;
import io.fdt.core.wire.control.SessionResumed;
import io.fdt.core.wire.stripe.DataNode;
import io.fdt.server.limits.DescriptorBudget;
import io.fdt.server.limits.RunOwner;
import io.fdt.server.session.AcceptedEvents;
import io.fdt.server.session.SessionFilters;
import io.fdt.server.session.SessionRequest;
import io.fdt.server.session.SessionTrees;
import io.fdt.server.thirdparty.DirectedRun;
import io.fdt.server.thirdparty.DirectedRuns;
import io.fdt.server.thirdparty.PreparedSessions;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Begins the session of one connection, accepted, dialled or resumed, and clears up after it.
 * Confined to the event loop of the connection where nothing else is said.
 */
final class ServedSessions {
  /**
   * A session that has its places in the server, and has not begun.
   *
   * @param rate how fast it may be
   */
  record Opened(Session session, DataPath path, SessionRequest wanted, RateSource rate) {}

  private static final Logger LOG = LoggerFactory.getLogger(ServedSessions.class);

  private final ControlConnection connection;
  private final SessionLoop loop;
  private final ConnectionHost host;
  private final SessionTrees trees;
  private final Grant grant;
  private final DescriptorBudget.Share descriptors;
  private final PreparedSessions.Prepared prepared;
  private final long startNanos = System.nanoTime();

  /**
   * @param prepared what a server that dials may open; null for a client
   */
  ServedSessions(
      ControlConnection connection,
      SessionLoop loop,
      ConnectionHost host,
      SessionTrees trees,
      Grant grant,
      DescriptorBudget.Share descriptors,
      PreparedSessions.Prepared prepared) {
    this.connection = connection;
    this.loop = loop;
    this.host = host;
    this.trees = trees;
    this.grant = grant;
    this.descriptors = descriptors;
    this.prepared = prepared;
  }

  /**
   * Dials another server, for a client that directs.
   *
   * @param director the client
   * @throws FdtException the request makes no sense, or the server has no room for it
   */
  DirectedRun direct(RunSession wantedRun, SessionFilters agreed, DirectedRuns.Follower director)
      throws FdtException {
    SessionRequest own = agreed.request();
    DirectedRun run =
        DirectedRun.start(
            wantedRun,
            own,
            trees.work(own, wantedRun.getPeer().getTellState(), descriptors, host.nodes().of(own)),
            host.thirdParty(),
            RunOwner.of(grant, connection.peerAddress()),
            new DirectedRun.Start(Hello.newBuilder().setTicket(wantedRun.getTicket()), director),
            new DirectedRun.Owner() {
              @Override
              public RateSource begins(RunningSession dialled) throws FdtException {
                RateSource rate =
                    host.sessions()
                        .add(dialled, own, grant, connection.peerAddress(), trees.export(own));
                host.clientCame().run(); // as a client of its own: its director may go before it
                return rate;
              }

              @Override
              public void dataAddresses(
                  DialedSession dialled, List<DataNode> addresses, int streamsEach) {
                host.nodes().dial(dialled.id(), addresses, streamsEach);
              }

              @Override
              public SessionFilters filters() {
                return agreed;
              }

              @Override
              public void ended(RunningSession dialled, FdtException failure) {
                try {
                  clearUp(dialled, failure, agreed);
                } finally {
                  host.clientLeft().run();
                }
              }
            });
    LOG.info(
        "session dialled session={} director={} peer={}:{} direction={} streams={}",
        own.id().shortName(),
        connection.peer(),
        wantedRun.getAddress().getHost(),
        wantedRun.getAddress().getPort(),
        own.isPull() ? "SENDS" : "RECEIVES",
        own.spec().streams());
    return run;
  }

  /**
   * Makes a session for whoever has connected.
   *
   * @throws FdtException the server has no room for it
   */
  Opened open(SessionFilters agreed) throws FdtException {
    SessionRequest wanted = agreed.request();
    Session session =
        new Session(wanted.id(), loop, connection, host.deadlines(), new Watch(agreed));
    String name = "fdt-" + wanted.id().shortName();
    DataPath path =
        trees
            .work(wanted, false, descriptors, host.nodes().of(wanted))
            .pipeline(
                new SessionRuntime(name, loop, host.thirdParty().node().threads()),
                host.allocator(),
                wanted.spec(),
                session,
                roundTrip(wanted),
                new AcceptedEvents(session, name, agreed, host.deliveries().digestsOf(wanted)));
    try {
      RateSource rate =
          host.sessions()
              .add(session, wanted, grant, connection.peerAddress(), trees.export(wanted));
      return new Opened(session, path, wanted, rate);
    } catch (FdtException | RuntimeException | Error e) { // it never begins
      host.nodes().forget(wanted);
      throw e;
    }
  }

  /** This end sees the part to the last relay only. */
  private Duration roundTrip(SessionRequest wanted) {
    Duration own = connection.roundTrip();
    return own.compareTo(wanted.roundTrip()) > 0 ? own : wanted.roundTrip();
  }

  /** Begins it. */
  void begin(Opened opened) {
    SessionRequest wanted = opened.wanted();
    opened.path().limit(opened.rate(), wanted.isPull() ? wanted.rateLimit() : 0);
    LOG.info(
        "session opened session={} peer={} direction={} streams={}",
        wanted.id().shortName(),
        connection.peer(),
        wanted.isPull() ? "PULL" : "PUSH",
        wanted.spec().streams());
    List<DataNode> nodes = host.nodes().watch(wanted.id(), this::tellNodes);
    connection.send(
        Control.newBuilder()
            .setSessionOpened(
                SessionOpened.newBuilder().setNodes(host.addresses().told(connection, nodes)))
            .build());
    opened.session().start(opened.path());
    host.sessions().begun(opened.session());
  }

  /**
   * The session that a client, or a server with its ticket, wants to go on with.
   *
   * @throws FdtException UNREACHABLE when it is not known; FORBIDDEN when it is another one's
   */
  Session find(ResumeSession request) throws FdtException {
    byte[] bytes = request.getJoin().toByteArray();
    if (bytes.length != Join.LENGTH) {
      throw new FdtException(ErrorCode.PROTOCOL, "join of " + bytes.length + " bytes");
    }
    Join join = Join.read(Unpooled.wrappedBuffer(bytes));
    if (prepared != null) {
      host.thirdParty().prepared().checkResumes(prepared, join.session());
    }
    return host.sessions().accepted().resume(join);
  }

  /**
   * Goes on with a session over this connection. On the loop of the session.
   *
   * @param refuse gets why that cannot be
   */
  void resume(Session resumed, long receivedByPeer, Consumer<FdtException> refuse) {
    Control answer =
        Control.newBuilder()
            .setSessionResumed(SessionResumed.newBuilder().setReceived(resumed.received()))
            .build();
    try {
      resumed.resume(connection, answer, receivedByPeer);
      tellNodes(host.nodes().watch(resumed.id(), this::tellNodes));
      LOG.info("session resumed session={} peer={}", resumed.id().shortName(), connection.peer());
    } catch (FdtException e) {
      refuse.accept(e);
    }
  }

  /** Tells the peer where data connections go. Any thread. */
  private void tellNodes(List<DataNode> nodes) {
    connection.send(
        Control.newBuilder().setDataNodes(host.addresses().told(connection, nodes)).build());
  }

  private void clearUp(RunningSession ended, FdtException failure, SessionFilters filters) {
    host.sessions().remove(ended, failure); // whatever else fails, its places are free
    host.nodes().forget(filters.request());
    if (filters.wantsResults()) {
      host.afterwards().execute(() -> filters.after(failure));
    }
    if (prepared != null) {
      host.thirdParty().prepared().forget(prepared);
    }
    Progress progress = ended.progress();
    LOG.info(
        "session ended session={} peer={} files={} unchanged={} failed={} bytes={} seconds={}"
            + " reason={}",
        ended.id().shortName(),
        connection.peer(),
        progress.filesDone(),
        progress.filesUnchanged(),
        progress.failures(),
        progress.bytesDone(),
        String.format(Locale.US, "%.3f", (System.nanoTime() - startNanos) / 1e9),
        failure == null ? "done" : failure.code() + ": " + failure.getMessage());
    if (failure != null) {
      LOG.debug("session failure session={}", ended.id().shortName(), failure);
    }
  }

  /** What is told of the session that this connection opened. */
  private final class Watch implements Session.Listener {
    private final SessionFilters filters;

    Watch(SessionFilters filters) {
      this.filters = filters;
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
        clearUp(ended, failure, filters);
      } finally {
        host.clientLeft().run();
      }
    }
  }
}
