package io.fdt.core.node;

import com.google.protobuf.ByteString;
import io.fdt.core.engine.DataPath;
import io.fdt.core.engine.HostThreads;
import io.fdt.core.engine.NettySessionLoop;
import io.fdt.core.engine.RunningSession;
import io.fdt.core.engine.Session;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.engine.SessionRuntime;
import io.fdt.core.engine.TransferEvents;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.metrics.Progress;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.transport.DataStream;
import io.fdt.core.wire.AbortCoding;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.DataNodes;
import io.fdt.core.wire.control.OpenSession;
import io.fdt.core.wire.control.ResumeSession;
import io.fdt.core.wire.stripe.DataNode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The dialing end of a session: opens the control connection and the data streams, and replaces
 * lost ones. The plan decides whether it sends or receives.
 *
 * <pre>
 *   CONNECTING -> OPENING (all started, the peer has not agreed yet) -> RUNNING -> ENDED
 *                                                   '-- connection lost: dialed again, session resumed --^
 * </pre>
 *
 * <p>Public methods may be called on any thread unless noted; the rest is confined to one event
 * loop.
 */
public final class DialedSession implements RunningSession, Session.Listener {
  /** Receives events, on the session's event loop. */
  public interface Listener extends TransferEvents {
    /** The peer has accepted the session. */
    void agreed();

    /** Whether this answer to a resumption means that the peer no longer knows the session. */
    default boolean isLost(ErrorCode answer) {
      return answer == ErrorCode.UNREACHABLE;
    }

    /**
     * The peer accepts data streams at these addresses, for data nodes of this end.
     *
     * @param streamsEach from each of them to each address
     */
    void dataAddresses(List<DataNode> addresses, int streamsEach);

    /**
     * The peer was restarted and no longer knows the session.
     *
     * @return the failure of the session
     */
    FdtException whenLost(FdtException cause);

    /**
     * The session has ended and released everything. Called once.
     *
     * @param failure null for a complete transfer
     */
    void ended(FdtException failure);
  }

  private enum State {
    CONNECTING,
    OPENING,
    RUNNING,
    ENDED
  }

  private static final SecureRandom RANDOM = new SecureRandom();
  private final Dialer dialer;
  private volatile SessionPlan plan; // refined once the path is known
  private final Listener listener;
  private final SessionId id;
  private final byte[] secret;
  private final EventLoop eventLoop;
  private final SessionLoop loop;
  private final PreconnectedSockets sockets;
  private State state = State.CONNECTING;
  private long lastMessageNanos;
  private volatile HostThreads.Started connecting;
  private volatile FdtException cancelled;
  private volatile Session session;
  private ControlConnection control;
  private StreamDialer streams;
  private Dialer.Dialed peer;
  private Resumption resumption;
  private volatile boolean agreed;
  private volatile boolean lost; // the peer has answered that it no longer knows the session

  /** Generates an id and a secret. */
  public DialedSession(Dialer dialer, SessionPlan plan, Listener listener) {
    this(dialer, plan, SessionId.random(RANDOM), Join.newSecret(RANDOM), listener);
  }

  /**
   * @param secret whose knowledge its data connections prove, 32 bytes
   */
  public DialedSession(
      Dialer dialer, SessionPlan plan, SessionId id, byte[] secret, Listener listener) {
    this.dialer = dialer;
    this.plan = plan;
    this.listener = listener;
    this.id = id;
    this.secret = secret.clone();
    this.eventLoop = dialer.node().loops().next();
    this.loop = new NettySessionLoop(eventLoop, this::fail);
    this.sockets = new PreconnectedSockets(dialer.node().transport());
  }

  @Override
  public SessionId id() {
    return id;
  }

  public SessionLoop loop() {
    return loop;
  }

  /** The plan, refined once the path is known. */
  public SessionPlan plan() {
    return plan;
  }

  @Override
  public boolean isWaiting() {
    Session running = session;
    return running != null && running.isWaiting();
  }

  @Override
  public Progress progress() {
    Session running = session;
    return running == null ? Progress.NONE : running.progress();
  }

  /** Time without progress, in nanoseconds. */
  public long stalledNanos() {
    Session running = session;
    return running == null ? 0 : running.stalledNanos();
  }

  /** Whether the peer has accepted the session. */
  public boolean isAgreed() {
    return agreed;
  }

  /** Whether the peer no longer knows the session: it was restarted. */
  public boolean isLost() {
    return lost;
  }

  /** Connects, on its own thread since name resolution blocks. Called once. */
  public void start() {
    String name = "fdt-" + id.shortName() + "-connect";
    try {
      connecting = dialer.node().threads().start(name, this::connect);
    } catch (OutOfMemoryError e) {
      loop.run(() -> end(FdtException.unforeseen("cannot start", e)));
    }
  }

  private void connect() {
    try {
      Dialer.Dialed dialed =
          dialer.dial(
              eventLoop,
              (peer, roundTrip) -> sockets.prepare(peer, plan.over(roundTrip).spec().streams()),
              Connection::new);
      loop.run(() -> connected(dialed));
    } catch (FdtException | RuntimeException | Error e) { // any failure must reach the listener
      FdtException cause = Dialer.asFdtException(e);
      loop.run(() -> end(cause));
    }
  }

  private void connected(Dialer.Dialed dialed) {
    control = dialed.control();
    if (state == State.ENDED || cancelled != null) {
      sockets.close();
      control.close();
      end(cancelled);
      return;
    }
    state = State.OPENING;
    plan = plan.over(control.roundTrip());
    session = new Session(id, loop, control, dialer.deadlines(), this);
    peer = dialed;
    streams =
        new StreamDialer(
            loop,
            sockets,
            StreamTerms.of(dialer, control.roundTrip(), plan, id, secret),
            0,
            false,
            new StreamDialer.Owner() {
              @Override
              public DataStream.Handler attach(DataStream stream) {
                return session.attach(stream);
              }

              @Override
              public void failed(FdtException cause) {
                session.abort(cause);
              }
            });
    resumption =
        new Resumption(
            dialer, eventLoop, loop, Connection::new, this::resumeMessage, session::abort);
    OpenSession open = plan.open();
    control.send(
        Control.newBuilder()
            .setOpenSession(
                open.toBuilder()
                    .setEncrypted(dialer.encryptsData())
                    .setRoundTripMicros((int) (control.roundTrip().toNanos() / 1000))
                    .setSessionId(ByteString.copyFrom(id.bytes()))
                    .setSessionSecret(ByteString.copyFrom(secret)))
            .build());
    begin(open.getRateLimit()); // does not wait for the peer's answer
    lastMessageNanos = loop.nanoTime();
    watchOpening();
  }

  private void begin(long rateLimit) {
    DataPath path =
        plan.work()
            .pipeline(
                new SessionRuntime("fdt-" + id.shortName(), loop, dialer.node().threads()),
                dialer.node().allocator(),
                plan.spec(),
                session,
                control.roundTrip(),
                TransportTrial.watched(loop, sockets, streams, control.roundTrip(), listener));
    path.limit(plan.limit(), rateLimit);
    session.startEarly(path);
    streams.start(peer.peer(), peer.key());
  }

  /** Times out a peer that sends nothing; one whose filters take long sends pings. */
  private void watchOpening() {
    if (state != State.OPENING) {
      return;
    }
    long silent = loop.nanoTime() - lastMessageNanos;
    long patience = dialer.idleTimeout().toNanos();
    if (silent >= patience) {
      fail(
          new FdtException(
              ErrorCode.TIMEOUT,
              "%s did not answer within %d s"
                  .formatted(control.peer(), dialer.idleTimeout().toSeconds())));
    } else {
      loop.after(patience - silent, this::watchOpening);
    }
  }

  /** A control connection of this session: the first one, or a replacement. */
  private final class Connection implements ControlConnection.Handler {
    private final ControlConnection connection;

    Connection(ControlConnection connection) {
      this.connection = connection;
    }

    @Override
    public void message(Control message) throws FdtException {
      lastMessageNanos = loop.nanoTime();
      switch (message.getBodyCase()) {
        case WELCOME -> {
          if (message.getWelcome().getRefusesUdp()) {
            sockets.refuseUdp();
          }
          dialer.refusal(message.getWelcome()).ifPresent(DialedSession.this::fail);
        }
        case SESSION_OPENED -> {
          if (state == State.OPENING) {
            state = State.RUNNING;
            agreed = true;
            session.agreed();
            streams.agreed(message.getSessionOpened().getNodes());
            listener.agreed();
          }
          setNodes(message.getSessionOpened().getNodes());
        }
        case DATA_NODES -> setNodes(message.getDataNodes());
        case SESSION_RESUMED -> resumed(connection, message);
        default -> deliver(connection, message);
      }
    }

    @Override
    public void closed(FdtException cause) {
      if (session == null) {
        end(cause);
      } else {
        session.onControlClosed(connection, cause);
        resumption.failed(connection, cause);
      }
    }
  }

  /** The peer's data nodes and its other addresses accept streams as well. */
  private void setNodes(DataNodes nodes) {
    if (state == State.RUNNING) {
      streams.setNodes(nodes);
      List<DataNode> all = new ArrayList<>();
      all.add(NodeAddress.of(NodeAddress.ofData(peer.peer(), nodes.getDataPort()), peer.key()));
      all.addAll(nodes.getNodesList());
      int machines = (int) all.stream().map(DataNode::getKey).distinct().count();
      listener.dataAddresses(all, StreamDialer.share(plan.spec(), machines));
    }
  }

  private void deliver(ControlConnection connection, Control message) {
    if (session == null) {
      if (message.hasAbort()) {
        end(AbortCoding.decode(message.getAbort()));
      }
      return;
    }
    if (message.hasAbort() && resumption.isUnder(connection)) {
      notResumed(connection, AbortCoding.decode(message.getAbort()));
      return;
    }
    try {
      session.onMessage(connection, message);
    } catch (FdtException e) {
      fail(e);
    }
  }

  /** A peer that no longer knows the session answers UNREACHABLE. */
  private void notResumed(ControlConnection connection, FdtException cause) {
    if (listener.isLost(cause.code())) {
      lost = true;
      session.abort(listener.whenLost(cause));
    } else if (cause.code().retry() == ErrorCode.Retry.LATER) {
      resumption.refused(connection);
    } else {
      session.abort(cause); // the session cannot continue
    }
  }

  private void resumed(ControlConnection connection, Control message) throws FdtException {
    peer = resumption.succeeded();
    control = connection;
    session.resume(connection, null, message.getSessionResumed().getReceived());
    streams.start(peer.peer(), peer.key());
    listener.notice("the connection to " + connection.peer() + " is back");
  }

  private Control resumeMessage() {
    ByteBuf join = Unpooled.buffer(Join.LENGTH);
    Join.prove(id, streams.takeNumber(), secret).write(join);
    return Control.newBuilder()
        .setResumeSession(
            ResumeSession.newBuilder()
                .setJoin(ByteString.copyFrom(join.nioBuffer()))
                .setReceived(session.received()))
        .build();
  }

  @Override
  public void detached(Session detached, FdtException cause) {
    listener.notice(cause.getMessage() + ": trying again");
    streams.stop();
    resumption.start();
  }

  @Override
  public void ended(Session ended, FdtException failure) {
    end(failure);
  }

  /** Ends the session: every entry has an outcome, known to both ends. On the event loop. */
  public void finish() {
    session.finish();
  }

  /** Ends the session with a failure, which is sent to the peer. Any thread. */
  public void fail(FdtException cause) {
    loop.run(
        () -> {
          if (session == null) {
            end(cause);
          } else {
            session.abort(cause);
          }
        });
  }

  @Override
  public void abort(FdtException cause) {
    loop.run(
        () -> {
          if (state == State.CONNECTING) {
            cancelled = cause;
            Optional.ofNullable(connecting).ifPresent(HostThreads.Started::interrupt);
            end(cause);
          } else if (state != State.ENDED) {
            fail(cause);
          }
        });
  }

  private void end(FdtException failure) {
    if (state == State.ENDED) {
      return;
    }
    state = State.ENDED;
    try {
      sockets.close();
      if (streams != null) {
        streams.stop();
        resumption.stop();
      }
    } finally { // any failure must reach the listener
      listener.ended(failure);
    }
  }
}
