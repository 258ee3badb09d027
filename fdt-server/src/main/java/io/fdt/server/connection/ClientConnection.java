package io.fdt.server.connection;

import io.fdt.core.engine.NettySessionLoop;
import io.fdt.core.engine.Session;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.Grant;
import io.fdt.core.storage.ExportedStorage;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.wire.AbortCoding;
import io.fdt.core.wire.control.AttachRun;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Hello;
import io.fdt.core.wire.control.OpenSession;
import io.fdt.core.wire.control.ResumeSession;
import io.fdt.core.wire.control.RunDetached;
import io.fdt.core.wire.control.RunSession;
import io.fdt.core.wire.stripe.JoinStripe;
import io.fdt.server.limits.DescriptorBudget;
import io.fdt.server.limits.ReadPace;
import io.fdt.server.session.SessionAdmission;
import io.fdt.server.session.SessionFilters;
import io.fdt.server.session.SessionRequest;
import io.fdt.server.session.SessionTrees;
import io.fdt.server.stripe.JoinedNode;
import io.fdt.server.thirdparty.DirectedRuns;
import io.fdt.server.thirdparty.PreparedSessions;
import io.fdt.server.thirdparty.ThirdPartyRequests;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The control connection of one client: a greeting, then requests, or one session.
 *
 * <pre>
 *   NEW -> Hello -> GREETED -> requests ... -> OpenSession -> IN_SESSION -> closed
 *                      |---> RunSession or AttachRun -> DIRECTING -> closed
 *                      '---> JoinStripe -> NODE -> closed
 * </pre>
 *
 * <p>Confined to the event loop of the connection, which becomes that of its session.
 */
public final class ClientConnection implements ControlConnection.Handler, DirectedRuns.Follower {
  private enum State {
    NEW,
    GREETED,
    /** Its request is served until what another session holds of it is free. */
    WAITING,
    IN_SESSION,
    /** Its session runs between this server and another one. */
    DIRECTING,
    /** It is a data node of this server. */
    NODE,
    CLOSED
  }

  private static final Logger LOG = LoggerFactory.getLogger(ClientConnection.class);

  private final ControlConnection connection;
  private final SessionLoop loop;
  private final ConnectionHost host;
  private State state = State.NEW;
  private boolean greeted;
  private long lastHeardNanos;

  private final EarlyMessages early = new EarlyMessages();
  private Session session;
  private Grant grant;

  /** What a server that dials may open; null for a client. */
  private PreparedSessions.Prepared prepared;

  /** What a client directs; null for none. */
  private RunSession wantedRun;

  private DirectedRuns.Live run;

  /** What has joined as a data node; null for none. */
  private JoinedNode node;

  /** What its client may have open; null before it is counted itself. */
  private DescriptorBudget.Share descriptors;

  private SessionTrees trees;
  private RequestDispatcher desk;
  private ThirdPartyRequests thirdParty;
  private ServedSessions sessions;

  public ClientConnection(ControlConnection connection, EventLoop eventLoop, ConnectionHost host) {
    this.connection = connection;
    this.loop = new NettySessionLoop(eventLoop, this::defect);
    this.host = host;
    this.lastHeardNanos = loop.nanoTime();
    closeWhenIdle();
    loop.after(host.handshake().toNanos(), this::closeUnlessGreeted);
  }

  private void closeUnlessGreeted() {
    if (state == State.NEW) {
      refuse(
          new FdtException(
              ErrorCode.TIMEOUT,
              "no hello came within %d s".formatted(host.handshake().toSeconds())));
    }
  }

  private void defect(FdtException cause) {
    LOG.error("defect peer={}", connection.peer(), cause);
    if (run != null) {
      run.abort(cause);
    } else if (session != null) {
      session.abort(cause);
    } else if (state != State.CLOSED) {
      refuse(cause);
    }
  }

  /** A session looks after itself; a connection without one may not be silent for ever. */
  private void closeWhenIdle() {
    if (state == State.IN_SESSION || state == State.NODE || state == State.CLOSED) {
      return;
    }
    if (state == State.DIRECTING) {
      try {
        host.tokens().check(grant);
      } catch (FdtException e) {
        refuse(e);
        return;
      }
    }
    boolean isUnread = state == State.WAITING && early.isFull();
    boolean isBusy = isUnread || (desk != null && desk.isBusy());
    if (!isBusy && isSilent()) {
      refuse(new FdtException(ErrorCode.TIMEOUT, "nothing was asked for"));
      return;
    }
    loop.after(host.deadlines().idleTimeout().toNanos() / 4, this::closeWhenIdle);
  }

  private boolean isSilent() {
    return loop.nanoTime() - lastHeardNanos > host.deadlines().idleTimeout().toNanos();
  }

  @Override
  public void message(Control message) throws FdtException {
    lastHeardNanos = loop.nanoTime();
    switch (state) {
      case NEW -> {
        if (!message.hasHello()) {
          throw unexpected(message);
        }
        greet(message.getHello());
        if (state != State.GREETED) {
          return;
        }
        connection.send(Control.newBuilder().setWelcome(host.welcome()).build());
      }
      case GREETED -> request(message);
      case IN_SESSION -> {
        Session current = session;
        current.loop().run(() -> deliver(current, message));
      }
      case WAITING -> waiting(message);
      case DIRECTING -> direct(message);
      case NODE -> node.message(message);
      case CLOSED -> {}
    }
  }

  /** The client does not wait, either; it is read no further when it has said much. */
  private void waiting(Control message) {
    if (message.hasAbort()) {
      state = State.CLOSED;
      early.clear();
      connection.close();
    } else {
      early.add(message, connection);
    }
  }

  private void deliver(Session current, Control message) {
    try {
      current.onMessage(connection, message);
    } catch (FdtException e) {
      current.abort(e);
    }
  }

  private void greet(Hello hello) {
    try {
      if (hello.getTicket().isEmpty()) {
        grant = host.tokens().admit(hello.getToken(), connection.peerAddress());
      } else {
        prepared =
            host.thirdParty()
                .prepared()
                .admit(hello.getTicket().toByteArray(), connection.peerKey());
        grant = prepared.grant();
      }
      host.places().take(this, connection.peerAddress(), grant, 1);
      DescriptorBudget.Share share =
          host.sessions().descriptors().of(grant, connection.peerAddress());
      share.take(1);
      descriptors = share;
    } catch (FdtException e) {
      refuse(e);
      return;
    }
    ExportedStorage roots = host.rootsOf(grant);
    trees = host.trees().apply(roots);
    thirdParty = new ThirdPartyRequests(connection, host, trees, grant);
    sessions = new ServedSessions(connection, loop, host, trees, grant, descriptors, prepared);
    Duration patience = host.deadlines().idleTimeout();
    desk =
        new RequestDispatcher(
            connection,
            loop,
            new RequestDispatcher.Host(
                roots,
                host.requests(),
                host.digests(),
                new ReadPace(host.sessions().rates(), grant, connection.peerAddress()),
                patience,
                () -> host.tokens().check(grant),
                host.relayFor(grant, connection.peerAddress())));
    state = State.GREETED;
    greeted = true;
    connection.peerIsKnown();
    host.clientCame().run();
  }

  private static FdtException unexpected(Control message) {
    return new FdtException(
        ErrorCode.PROTOCOL, message.getBodyCase() + " is not expected at this point");
  }

  private void request(Control message) throws FdtException {
    try {
      host.tokens().check(grant);
    } catch (FdtException e) {
      refuse(e);
      return;
    }
    if (grant.dataNode() && !message.hasJoinStripe() && !message.hasAbort()) {
      refuse(
          new FdtException(
              ErrorCode.FORBIDDEN,
              "the token is for a data node: ask for one that was made without --data-node"));
      return;
    }
    switch (message.getBodyCase()) {
      case OPEN_SESSION, RESUME_SESSION -> {
        try {
          if (message.hasResumeSession()) {
            resume(message.getResumeSession());
          } else {
            OpenSession open = message.getOpenSession();
            openWhenFree(
                prepared == null ? open : host.thirdParty().prepared().begin(prepared, open));
          }
        } catch (FdtException e) {
          refuse(e);
        }
      }
      case ABORT -> connection.close();
      default -> {
        if (prepared != null) {
          throw unexpected(message);
        }
        requestOfClient(message);
      }
    }
  }

  /** What another server does not ask for. */
  private void requestOfClient(Control message) throws FdtException {
    switch (message.getBodyCase()) {
      case PREPARE_SESSION, RUN_SESSION, ATTACH_RUN, JOIN_STRIPE -> {
        try {
          requestOfServers(message);
        } catch (FdtException e) {
          refuse(e);
        }
      }
      case PROBE_PEER -> thirdParty.probe(message.getProbePeer().getPeer());
      case LIST_RUNS -> {
        state = State.CLOSED;
        thirdParty.list();
      }
      default -> desk.message(message);
    }
  }

  /** What has to do with other servers. */
  private void requestOfServers(Control message) throws FdtException {
    if (message.hasPrepareSession()) {
      thirdParty.prepare(message.getPrepareSession());
    } else if (message.hasRunSession()) {
      host.thirdParty().check(grant);
      wantedRun = message.getRunSession();
      openWhenFree(wantedRun.getOwn().toBuilder().clearTellState().build());
    } else if (message.hasAttachRun()) {
      attach(message.getAttachRun());
    } else {
      join(message.getJoinStripe());
    }
  }

  private void join(JoinStripe request) throws FdtException {
    node =
        JoinedNode.join(
            connection, loop, host.nodes(), request, host.tokens(), grant, this::refuse);
    state = State.NODE;
  }

  /** The client follows a session that runs, or hears how one has ended. */
  private void attach(AttachRun request) throws FdtException {
    Optional<DirectedRuns.Live> found = thirdParty.attach(request, this);
    if (found.isPresent()) {
      run = found.get();
      state = State.DIRECTING;
      run.attach(this, request.getHeardPlusOne());
    } else {
      state = State.CLOSED;
    }
  }

  @Override
  public void send(Control message) {
    connection.send(message);
  }

  @Override
  public void close() {
    connection.close();
  }

  private void openWhenFree(OpenSession open) throws FdtException {
    SessionRequest wanted = host.checked(open);
    state = State.WAITING;
    new SessionAdmission(connection, loop, host, trees, grant, new Waiting()).start(wanted);
  }

  /** This connection, while its request waits. */
  private final class Waiting implements SessionAdmission.Client {
    @Override
    public boolean waits() {
      return state == State.WAITING;
    }

    @Override
    public void open(SessionFilters agreed) throws FdtException {
      if (wantedRun != null) {
        run(agreed);
      } else {
        accept(agreed);
      }
    }

    @Override
    public void refuse(FdtException cause) {
      ClientConnection.this.refuse(cause);
    }
  }

  /** A message of a client that directs a session. */
  private void direct(Control message) throws FdtException {
    switch (message.getBodyCase()) {
      case CANCEL_RUN ->
          run.abort(new FdtException(ErrorCode.CANCELLED, "cancelled by the client"));
      case RATE_LIMIT -> run.limit(message.getRateLimit().getBytesPerSecond());
      case DETACH_RUN -> {
        run.detach();
        connection.send(
            Control.newBuilder().setRunDetached(RunDetached.getDefaultInstance()).build());
        LOG.info("session detached session={} peer={}", run.id().shortName(), connection.peer());
      }
      case ABORT -> connection.close();
      case PING, PONG -> {}
      default -> throw unexpected(message);
    }
  }

  private void refuse(FdtException cause) {
    if (prepared != null) {
      host.thirdParty().prepared().forget(prepared);
    }
    long hidden = host.refusals().countForLog(cause.code(), loop.nanoTime());
    if (hidden >= 0) {
      LOG.info("refused peer={} reason={} more={}", connection.peer(), cause.getMessage(), hidden);
    }
    state = State.CLOSED;
    early.clear();
    connection.setReading(true);
    connection.send(AbortCoding.encode(cause));
    connection.close();
  }

  /** Dials the other server. */
  private void run(SessionFilters agreed) throws FdtException {
    run = sessions.direct(wantedRun, agreed, this);
    state = State.DIRECTING;
    closeWhenIdle();
    for (Control message = early.poll(); message != null; message = early.poll()) {
      direct(message);
    }
    connection.setReading(true);
  }

  private void accept(SessionFilters agreed) throws FdtException {
    ServedSessions.Opened opened = sessions.open(agreed);
    session = opened.session(); // from here on the end of the connection ends it
    state = State.IN_SESSION;
    sessions.begin(opened);
    for (Control message = early.poll(); message != null; message = early.poll()) {
      deliver(session, message);
    }
    connection.setReading(true);
  }

  /** The client of a session that lost its connection is back. */
  private void resume(ResumeSession request) throws FdtException {
    session = sessions.find(request);
    state = State.IN_SESSION;
    host.clientLeft().run(); // the session counts as the client that it was
    Session resumed = session;
    resumed
        .loop()
        .run(() -> sessions.resume(resumed, request.getReceived(), e -> loop.run(() -> refuse(e))));
  }

  @Override
  public void closed(FdtException cause) {
    state = State.CLOSED;
    if (desk != null) {
      desk.close();
    }
    host.places().giveBack(this);
    if (descriptors != null) {
      descriptors.giveBack(1);
      descriptors = null;
    }
    if (node != null) {
      node.closed(cause);
    }
    Session current = session;
    if (run != null) {
      run.left(this);
    }
    if (current != null) {
      current.loop().run(() -> current.onControlClosed(connection, cause));
    } else if (greeted) {
      host.clientLeft().run();
    }
  }
}
