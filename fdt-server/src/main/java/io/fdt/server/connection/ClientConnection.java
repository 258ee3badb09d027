package io.fdt.server.connection;

import io.fdt.core.engine.NettySessionLoop;
import io.fdt.core.engine.Session;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Grant;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.wire.AbortCoding;
import io.fdt.core.wire.control.AttachRun;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Hello;
import io.fdt.core.wire.control.OpenSession;
import io.fdt.core.wire.control.ResumeSession;
import io.fdt.core.wire.control.RunSession;
import io.fdt.server.limits.DescriptorBudget;
import io.fdt.server.session.Client;
import io.fdt.server.session.MessageHandler;
import io.fdt.server.session.PreparedSessions;
import io.fdt.server.session.SessionAdmission;
import io.fdt.server.session.SessionFilters;
import io.fdt.server.stripe.JoinedNode;
import io.fdt.server.thirdparty.DirectedRuns;
import io.fdt.server.thirdparty.Director;
import io.fdt.server.thirdparty.ThirdPartyRequests;
import io.netty.channel.EventLoop;
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
public final class ClientConnection implements ControlConnection.Handler {
  private enum State {
    NEW,
    GREETED,
    /** The request waits until files that another session holds are free. */
    WAITING,
    IN_SESSION,
    /** The client directs a session between this server and another one. */
    DIRECTING,
    /** The client is a data node of this server. */
    NODE,
    CLOSED
  }

  private static final Logger LOG = LoggerFactory.getLogger(ClientConnection.class);

  private final ControlConnection connection;
  private final SessionLoop loop;
  private final ClientHandlers handlers;
  private final EarlyMessages early = new EarlyMessages();
  private State state = State.NEW;
  private long lastHeardNanos;

  /** The client; null before the hello. */
  private Client client;

  private RequestDispatcher requests;
  private ThirdPartyRequests thirdParty;
  private ServedSessions sessions;

  /** The session that its client directs; null for none. */
  private RunSession wantedRun;

  /** The session; null unless one runs or has been directed, or the client is a data node. */
  private Session session;

  private Director director;
  private JoinedNode node;

  public ClientConnection(
      ControlConnection connection, EventLoop eventLoop, ClientHandlers handlers) {
    this.connection = connection;
    this.loop = new NettySessionLoop(eventLoop, this::defect);
    this.handlers = handlers;
    this.lastHeardNanos = loop.nanoTime();
    closeWhenIdle();
    loop.after(handlers.handshake().toNanos(), this::closeUnlessGreeted);
  }

  private void closeUnlessGreeted() {
    if (state == State.NEW) {
      refuse(
          new FdtException(
              ErrorCode.TIMEOUT,
              "no hello came within %d s".formatted(handlers.handshake().toSeconds())));
    }
  }

  private void defect(FdtException cause) {
    LOG.error("defect peer={}", connection.peer(), cause);
    if (director != null) {
      director.abort(cause);
    } else if (session != null) {
      session.abort(cause);
    } else if (state != State.CLOSED) {
      refuse(cause);
    }
  }

  /** Closes a silent connection; sessions and data nodes have time limits of their own. */
  private void closeWhenIdle() {
    if (state == State.IN_SESSION || state == State.NODE || state == State.CLOSED) {
      return;
    }
    if (state == State.DIRECTING) {
      try {
        handlers.tokens().check(client.grant());
      } catch (FdtException e) {
        refuse(e);
        return;
      }
    }
    boolean isUnread = state == State.WAITING && early.isFull();
    boolean isBusy = isUnread || (requests != null && requests.isBusy());
    long idleNanos = handlers.deadlines().idleTimeout().toNanos();
    if (!isBusy && loop.nanoTime() - lastHeardNanos > idleNanos) {
      refuse(new FdtException(ErrorCode.TIMEOUT, "nothing was asked for"));
      return;
    }
    loop.after(idleNanos / 4, this::closeWhenIdle);
  }

  @Override
  public void message(Control message) throws FdtException {
    lastHeardNanos = loop.nanoTime();
    switch (state) {
      case NEW -> {
        if (!message.hasHello()) {
          throw MessageHandler.unexpected(message);
        }
        greet(message.getHello());
      }
      case GREETED -> request(message);
      case WAITING -> waiting(message);
      case IN_SESSION -> {
        Session current = session;
        current.loop().run(() -> deliver(current, message));
      }
      case DIRECTING -> director.message(message);
      case NODE -> node.message(message);
      case CLOSED -> {}
    }
  }

  /** Handles messages while the request waits; after many of them, the connection is not read. */
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
    PreparedSessions.Prepared prepared = null;
    try {
      Grant grant;
      if (hello.getTicket().isEmpty()) {
        grant = handlers.tokens().admit(hello.getToken(), connection.peerAddress());
      } else {
        prepared = handlers.prepared().admit(hello.getTicket().toByteArray(), connection.peerKey());
        grant = prepared.grant();
      }
      DescriptorBudget.Share share = handlers.clients().take(this, connection.peerAddress(), grant);
      client = new Client(connection, loop, grant, handlers.trees().apply(grant), share, prepared);
    } catch (FdtException e) {
      if (prepared != null) {
        handlers.prepared().forget(prepared);
      }
      if (e.code() == ErrorCode.UNAUTHENTICATED && hello.getToken().isEmpty()) {
        handlers.clients().refusals().count(e.code()); // a first contact, before it has a token
        end(e);
      } else {
        refuse(e);
      }
      return;
    }
    thirdParty = handlers.thirdParty().apply(client);
    sessions = handlers.sessions().apply(client);
    requests = handlers.requests().apply(client);
    state = State.GREETED;
    connection.peerIsKnown();
    handlers.clients().came();
    connection.send(Control.newBuilder().setWelcome(handlers.welcome()).build());
  }

  private void request(Control message) throws FdtException {
    try {
      handlers.tokens().check(client.grant());
    } catch (FdtException e) {
      refuse(e);
      return;
    }
    if (client.grant().dataNode() && !message.hasJoinStripe() && !message.hasAbort()) {
      refuse(
          new FdtException(
              ErrorCode.FORBIDDEN,
              "the token is for a data node: ask for one that is for clients"));
      return;
    }
    boolean isOfSession = message.hasOpenSession() || message.hasResumeSession();
    if (client.prepared() != null && !isOfSession && !message.hasAbort()) {
      throw MessageHandler.unexpected(message);
    }
    switch (message.getBodyCase()) {
      case OPEN_SESSION, RESUME_SESSION, PREPARE_SESSION, RUN_SESSION, ATTACH_RUN, JOIN_STRIPE -> {
        try {
          begin(message);
        } catch (FdtException e) {
          refuse(e);
        }
      }
      case ABORT -> connection.close();
      default -> {
        if (message.hasProbePeer() || message.hasListRuns()) {
          state = message.hasListRuns() ? State.CLOSED : state;
          thirdParty.message(message);
        } else {
          requests.message(message);
        }
      }
    }
  }

  /** Begins a session, or prepares one; a failure closes the connection. */
  private void begin(Control message) throws FdtException {
    switch (message.getBodyCase()) {
      case OPEN_SESSION -> {
        OpenSession open = message.getOpenSession();
        openWhenFree(
            client.prepared() == null ? open : handlers.prepared().begin(client.prepared(), open));
      }
      case RESUME_SESSION -> resume(message.getResumeSession());
      case RUN_SESSION -> {
        thirdParty.check();
        wantedRun = message.getRunSession();
        openWhenFree(wantedRun.getOwn().toBuilder().clearTellState().build());
      }
      case ATTACH_RUN -> attach(message.getAttachRun());
      case JOIN_STRIPE -> {
        node =
            JoinedNode.join(
                client, handlers.nodes(), message.getJoinStripe(), handlers.tokens(), this::refuse);
        state = State.NODE;
      }
      default -> thirdParty.message(message);
    }
  }

  /** Follows a session that runs, or reports how one has ended. */
  private void attach(AttachRun request) throws FdtException {
    Director follower = new Director(connection);
    Optional<DirectedRuns.Live> found = thirdParty.attach(request, follower);
    if (found.isPresent()) {
      director = follower;
      director.follows(found.get());
      state = State.DIRECTING;
      found.get().attach(director, request.getHeardPlusOne());
    } else {
      state = State.CLOSED;
    }
  }

  private void openWhenFree(OpenSession open) throws FdtException {
    handlers.admission().apply(client).start(open, new Waiting());
  }

  /** This connection, while its request waits. */
  private final class Waiting implements SessionAdmission.Waiter {
    Waiting() {
      state = State.WAITING;
    }

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

  private void refuse(FdtException cause) {
    if (client != null && client.prepared() != null) {
      handlers.prepared().forget(client.prepared());
    }
    String token = client == null ? "" : client.grant().label();
    handlers.clients().refusals().log(connection.peer(), token, "", "", cause);
    end(cause);
  }

  private void end(FdtException cause) {
    state = State.CLOSED;
    early.clear();
    connection.setReading(true);
    connection.send(AbortCoding.encode(cause));
    connection.close();
  }

  /** Dials the other server. */
  private void run(SessionFilters agreed) throws FdtException {
    Director follower = new Director(connection);
    follower.follows(sessions.direct(wantedRun, agreed, follower));
    director = follower;
    state = State.DIRECTING;
    closeWhenIdle();
    for (Control message = early.poll(); message != null; message = early.poll()) {
      director.message(message);
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

  /** Continues a session that has lost its connection. */
  private void resume(ResumeSession request) throws FdtException {
    Session resumed = sessions.find(request);
    session = resumed;
    state = State.IN_SESSION;
    handlers.clients().left(); // the session still counts as a client
    resumed
        .loop()
        .run(() -> sessions.resume(resumed, request.getReceived(), e -> loop.run(() -> refuse(e))));
  }

  @Override
  public void closed(FdtException cause) {
    state = State.CLOSED;
    handlers.clients().release(this);
    if (client == null) {
      return;
    }
    requests.close();
    client.descriptors().giveBack(1);
    if (node != null) {
      node.closed(cause);
    }
    if (director != null) {
      director.left();
    }
    Session current = session;
    if (current != null) {
      current.loop().run(() -> current.onControlClosed(connection, cause));
    } else {
      handlers.clients().left();
    }
  }
}
