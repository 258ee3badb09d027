package io.fdt.server;

import com.google.protobuf.ByteString;
import io.fdt.core.engine.DataPath;
import io.fdt.core.engine.FileDigests;
import io.fdt.core.engine.NettySessionLoop;
import io.fdt.core.engine.RunningSession;
import io.fdt.core.engine.Session;
import io.fdt.core.engine.SessionDeadlines;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.engine.SessionRuntime;
import io.fdt.core.engine.TransferEvents;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.filter.Filters;
import io.fdt.core.metrics.Progress;
import io.fdt.core.model.BytePath;
import io.fdt.core.node.DialedSession;
import io.fdt.core.node.Software;
import io.fdt.core.security.Grant;
import io.fdt.core.security.TokenBook;
import io.fdt.core.storage.os.ExportedRoots;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.tuning.RateSource;
import io.fdt.core.wire.AbortCoding;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Hello;
import io.fdt.core.wire.control.OpenSession;
import io.fdt.core.wire.control.PeerAddress;
import io.fdt.core.wire.control.PeerProbed;
import io.fdt.core.wire.control.Ping;
import io.fdt.core.wire.control.Pong;
import io.fdt.core.wire.control.PrepareSession;
import io.fdt.core.wire.control.ResumeSession;
import io.fdt.core.wire.control.RunSession;
import io.fdt.core.wire.control.SessionOpened;
import io.fdt.core.wire.control.SessionPrepared;
import io.fdt.core.wire.control.SessionResumed;
import io.fdt.core.wire.control.Welcome;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The control connection of one client: a greeting, then requests, or one session.
 *
 * <pre>
 *   NEW -> Hello -> GREETED -> requests ... -> OpenSession -> IN_SESSION -> closed
 *                      '---> RunSession -> DIRECTING -> closed
 * </pre>
 *
 * <p>Confined to the event loop of the connection, which becomes that of its session.
 */
final class ClientConnection implements ControlConnection.Handler {
  /** What a connection needs of its server. */
  record Host(
      ExportedRoots roots,
      TokenBook tokens,
      boolean requireEncryption,
      boolean allowPrivileged,
      ByteBufAllocator allocator,
      Executor requests,
      Executor afterwards,
      FileDigests digests,
      ServerSessions sessions,
      ThirdParty thirdParty,
      Quota places,
      RefusalCounts refusals,
      Filters filters,
      UnaryOperator<BytePath> onThisMachine,
      Duration handshake,
      SessionDeadlines deadlines,
      Runnable clientCame,
      Runnable clientLeft) {}

  private enum State {
    NEW,
    GREETED,
    /** Its request is served until what another session holds of it is free. */
    WAITING,
    IN_SESSION,
    /** Its session runs between this server and another one. */
    DIRECTING,
    CLOSED
  }

  private static final Logger LOG = LoggerFactory.getLogger(ClientConnection.class);

  /** How long the next attempt of a request waits for what the last one holds. */
  private static final long REPLACE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final ControlConnection connection;
  private final SessionLoop loop;
  private final Host host;
  private final long startNanos = System.nanoTime();
  private State state = State.NEW;
  private boolean greeted;
  private long lastHeardNanos = startNanos;

  private final EarlyMessages early = new EarlyMessages();
  private Session session;
  private Grant grant;

  /** What a server that dials may open; null for a client. */
  private PreparedSessions.Prepared prepared;

  /** What a client directs; null for none. */
  private RunSession wantedRun;

  private DirectedRun run;

  /** What its client may have open; null before it is counted itself. */
  private DescriptorBudget.Share descriptors;

  private SessionTrees trees;
  private RequestDispatcher desk;

  ClientConnection(ControlConnection connection, EventLoop eventLoop, Host host) {
    this.connection = connection;
    this.loop = new NettySessionLoop(eventLoop, this::defect);
    this.host = host;
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
      run.cancel(cause);
    } else if (session != null) {
      session.abort(cause);
    } else if (state != State.CLOSED) {
      refuse(cause);
    }
  }

  /** A session looks after itself; a connection without one may not be silent for ever. */
  private void closeWhenIdle() {
    if (state == State.IN_SESSION || state == State.CLOSED) {
      return;
    }
    if (state == State.DIRECTING && isSilent()) {
      run.cancel(
          new FdtException(ErrorCode.CANCELLED, "the client that directs the transfer is silent"));
      return;
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
    return System.nanoTime() - lastHeardNanos > host.deadlines().idleTimeout().toNanos();
  }

  @Override
  public void message(Control message) throws FdtException {
    lastHeardNanos = System.nanoTime();
    switch (state) {
      case NEW -> {
        if (!message.hasHello()) {
          throw unexpected(message);
        }
        greet(message.getHello());
        if (state != State.GREETED) {
          return;
        }
        connection.send(
            Control.newBuilder()
                .setWelcome(Welcome.newBuilder().setSoftware(Software.name()))
                .build());
      }
      case GREETED -> request(message);
      case IN_SESSION -> {
        Session current = session;
        current.loop().run(() -> deliver(current, message));
      }
      case WAITING -> waiting(message);
      case DIRECTING -> direct(message);
      case CLOSED -> {}
    }
  }

  /** The client does not wait, either; it is read no further when it has said much. */
  private void waiting(Control message) {
    if (message.hasAbort()) {
      state = State.CLOSED;
      early.clear();
      connection.close();
      return;
    }
    if (message.hasPing()) {
      Pong answer = Pong.newBuilder().setNonce(message.getPing().getNonce()).build();
      connection.send(Control.newBuilder().setPong(answer).build());
    } else if (!message.hasPong()) {
      early.add(message);
    }
    if (early.isFull()) {
      connection.setReading(false);
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
      DescriptorBudget.Share share = descriptorsOf(grant);
      share.take(1);
      descriptors = share;
    } catch (FdtException e) {
      refuse(e);
      return;
    }
    ExportedRoots roots = host.roots().view(grant.exports(), grant.readOnly());
    trees = new SessionTrees(roots);
    Duration patience = host.deadlines().idleTimeout();
    desk =
        new RequestDispatcher(
            connection,
            loop,
            new RequestDispatcher.Host(
                roots,
                host.requests(),
                host.digests(),
                patience,
                () -> host.tokens().check(grant)));
    state = State.GREETED;
    greeted = true;
    connection.peerIsKnown();
    host.clientCame().run();
  }

  private DescriptorBudget.Share descriptorsOf(Grant granted) {
    return host.sessions().descriptors().of(granted, connection.peerAddress());
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
    switch (message.getBodyCase()) {
      case OPEN_SESSION -> {
        try {
          OpenSession open = message.getOpenSession();
          openWhenFree(
              prepared == null ? open : host.thirdParty().prepared().begin(prepared, open));
        } catch (FdtException e) {
          refuse(e);
        }
      }
      case RESUME_SESSION -> {
        try {
          resume(message.getResumeSession());
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
      case PREPARE_SESSION -> {
        try {
          prepare(message.getPrepareSession());
        } catch (FdtException e) {
          refuse(e);
        }
      }
      case PROBE_PEER -> {
        PeerAddress peer = message.getProbePeer().getPeer();
        host.requests().execute(() -> probe(peer));
      }
      case RUN_SESSION -> {
        try {
          host.thirdParty().check();
          wantedRun = message.getRunSession();
          openWhenFree(wantedRun.getOwn());
        } catch (FdtException e) {
          refuse(e);
        }
      }
      default -> desk.message(message);
    }
  }

  /** Another server will open a session here. */
  private void prepare(PrepareSession request) throws FdtException {
    host.thirdParty().check();
    OpenSession open = request.getOpen();
    OpenSession complete =
        open.toBuilder()
            .setSessionId(ByteString.copyFrom(new byte[SessionId.LENGTH]))
            .setSessionSecret(ByteString.copyFrom(new byte[Join.SECRET_LENGTH]))
            .build();
    trees.check(checked(complete));
    byte[] ticket =
        host.thirdParty()
            .prepared()
            .prepare(
                open,
                grant,
                connection.peerAddress(),
                ThirdParty.key(request.getPeerKey().toByteArray()));
    connection.send(
        Control.newBuilder()
            .setSessionPrepared(
                SessionPrepared.newBuilder()
                    .setTicket(ByteString.copyFrom(ticket))
                    .setSeconds((int) PreparedSessions.GOOD_FOR.toSeconds()))
            .build());
  }

  /** Finds out whether another server can be reached. On a thread that may block. */
  private void probe(PeerAddress peer) {
    PeerProbed.Builder answer = PeerProbed.newBuilder();
    try {
      host.thirdParty().check();
      host.thirdParty()
          .dialer(peer, Hello.newBuilder(), false, host.deadlines())
          .probe(host.thirdParty().node().loops().next());
    } catch (FdtException e) {
      answer.setCode(e.code().wireCode()).setMessage(MessageText.fit(e.getMessage()));
    } catch (RuntimeException | Error e) {
      LOG.error("defect peer={}", connection.peer(), e);
      answer.setCode(ErrorCode.INTERNAL.wireCode()).setMessage("the server failed");
    }
    connection.send(Control.newBuilder().setPeerProbed(answer).build());
  }

  /**
   * A request for a session that this client may make.
   *
   * @throws FdtException FORBIDDEN; PROTOCOL when it makes no sense
   */
  private SessionRequest checked(OpenSession open) throws FdtException {
    SessionRequest wanted = SessionRequest.of(open);
    if (host.requireEncryption() && !wanted.isEncrypted()) {
      throw new FdtException(
          ErrorCode.FORBIDDEN, "the server moves encrypted data only: add --encrypt");
    }
    wanted.checkRights(host.allowPrivileged());
    return wanted;
  }

  private void openWhenFree(OpenSession open) throws FdtException {
    SessionRequest wanted = checked(open);
    state = State.WAITING;
    openWhenFree(wanted, System.nanoTime() + REPLACE_NANOS);
  }

  /** A message of a client that directs a session. */
  private void direct(Control message) throws FdtException {
    switch (message.getBodyCase()) {
      case CANCEL_RUN ->
          run.cancel(new FdtException(ErrorCode.CANCELLED, "cancelled by the client"));
      case ABORT -> run.cancel(AbortCoding.decode(message.getAbort()));
      case PING, PONG -> {}
      default -> throw unexpected(message);
    }
  }

  private void refuse(FdtException cause) {
    if (prepared != null) {
      host.thirdParty().prepared().forget(prepared);
    }
    long hidden = host.refusals().countForLog(cause.code(), System.nanoTime());
    if (hidden >= 0) {
      LOG.info("refused peer={} reason={} more={}", connection.peer(), cause.getMessage(), hidden);
    }
    state = State.CLOSED;
    early.clear();
    connection.setReading(true);
    connection.send(AbortCoding.encode(cause));
    connection.close();
  }

  private void openWhenFree(SessionRequest wanted, long deadlineNanos) {
    if (state != State.WAITING) {
      return;
    }
    try {
      if (host.sessions().makeRoomFor(wanted, grant)) {
        if (SessionFilters.concern(host.filters(), wanted)) {
          trees.check(wanted);
          host.requests().execute(() -> filter(wanted));
          signalWhileWaiting();
        } else {
          open(SessionFilters.none(wanted));
        }
      } else if (System.nanoTime() < deadlineNanos) {
        loop.after(RETRY_NANOS, () -> openWhenFree(wanted, deadlineNanos));
      } else {
        throw new FdtException(
            ErrorCode.IN_USE, "the same transfer is running already: wait for it, or end it first");
      }
    } catch (FdtException e) {
      refuse(e);
    }
  }

  /** Both ends would take the silence while a filter works for the end. */
  private void signalWhileWaiting() {
    if (state == State.WAITING) {
      connection.send(Control.newBuilder().setPing(Ping.getDefaultInstance()).build());
      loop.after(host.deadlines().idleTimeout().toNanos() / 4, this::signalWhileWaiting);
    }
  }

  /** Asks the server's filters, on a thread that may block. */
  private void filter(SessionRequest wanted) {
    try {
      SessionFilters agreed =
          SessionFilters.before(host.filters(), wanted, connection.peer(), host.onThisMachine());
      loop.post(() -> openFiltered(agreed));
    } catch (FdtException e) {
      loop.post(() -> refuse(e));
    } catch (RuntimeException | Error e) {
      LOG.error("defect peer={}", connection.peer(), e);
      FdtException cause = FdtException.unforeseen("the server failed", e);
      loop.post(() -> refuse(cause));
    }
  }

  private void openFiltered(SessionFilters agreed) {
    if (state != State.WAITING) {
      agreed.drop();
      return;
    }
    try {
      open(agreed);
    } catch (FdtException e) {
      agreed.drop();
      refuse(e);
    } catch (RuntimeException | Error e) {
      agreed.drop();
      throw e;
    }
  }

  private void open(SessionFilters agreed) throws FdtException {
    if (wantedRun != null) {
      run(agreed);
    } else {
      accept(agreed);
    }
  }

  /** Dials the other server. */
  private void run(SessionFilters agreed) throws FdtException {
    SessionRequest own = agreed.request();
    run =
        DirectedRun.start(
            wantedRun,
            own,
            trees.work(own, descriptorsOf(grant)),
            host.thirdParty(),
            connection,
            new DirectedRun.Owner() {
              @Override
              public RateSource begins(DialedSession dialled) throws FdtException {
                return host.sessions()
                    .add(dialled, own, grant, connection.peerAddress(), trees.export(own));
              }

              @Override
              public SessionFilters filters() {
                return agreed;
              }

              @Override
              public void ended(DialedSession dialled, FdtException failure) {
                sessionEnded(dialled, failure, agreed);
              }
            });
    state = State.DIRECTING;
    LOG.info(
        "session dialled session={} director={} peer={}:{} direction={} streams={}",
        own.id().shortName(),
        connection.peer(),
        wantedRun.getAddress().getHost(),
        wantedRun.getAddress().getPort(),
        own.isPull() ? "SENDS" : "RECEIVES",
        own.spec().streams());
    closeWhenIdle();
    for (Control message = early.poll(); message != null; message = early.poll()) {
      direct(message);
    }
    connection.setReading(true);
  }

  private void accept(SessionFilters agreed) throws FdtException {
    SessionRequest wanted = agreed.request();
    Session opened =
        new Session(wanted.id(), loop, connection, host.deadlines(), new SessionWatch(agreed));
    String name = "fdt-" + wanted.id().shortName();
    TransferEvents events = new Events(opened, name, agreed);
    DataPath path =
        trees
            .work(wanted, descriptorsOf(grant))
            .pipeline(
                new SessionRuntime(name, loop),
                host.allocator(),
                wanted.spec(),
                opened,
                connection.roundTrip(),
                events);
    RateSource rate =
        host.sessions().add(opened, wanted, grant, connection.peerAddress(), trees.export(wanted));
    session = opened; // from here on the end of the connection ends it
    state = State.IN_SESSION;
    path.limit(rate, wanted.isPull() ? wanted.rateLimit() : 0);
    LOG.info(
        "session opened session={} peer={} direction={} streams={}",
        wanted.id().shortName(),
        connection.peer(),
        wanted.isPull() ? "PULL" : "PUSH",
        wanted.spec().streams());
    connection.send(
        Control.newBuilder().setSessionOpened(SessionOpened.getDefaultInstance()).build());
    opened.start(path);
    host.sessions().begun(opened);
    for (Control message = early.poll(); message != null; message = early.poll()) {
      deliver(opened, message);
    }
    connection.setReading(true);
  }

  /** The client of a session that lost its connection is back. */
  private void resume(ResumeSession request) throws FdtException {
    byte[] bytes = request.getJoin().toByteArray();
    if (bytes.length != Join.LENGTH) {
      throw new FdtException(ErrorCode.PROTOCOL, "join of " + bytes.length + " bytes");
    }
    Join join = Join.read(Unpooled.wrappedBuffer(bytes));
    if (prepared != null) {
      host.thirdParty().prepared().checkResumes(prepared, join.session());
    }
    Session resumed = host.sessions().accepted().resume(join);
    session = resumed;
    state = State.IN_SESSION;
    host.clientLeft().run(); // the session counts as the client that it was
    resumed.loop().run(() -> resumeOnLoop(resumed, request.getReceived()));
  }

  private void resumeOnLoop(Session resumed, long receivedByPeer) {
    Control answer =
        Control.newBuilder()
            .setSessionResumed(SessionResumed.newBuilder().setReceived(resumed.received()))
            .build();
    try {
      resumed.resume(connection, answer, receivedByPeer);
      LOG.info("session resumed session={} peer={}", resumed.id().shortName(), connection.peer());
    } catch (FdtException e) {
      loop.run(() -> refuse(e));
    }
  }

  private void sessionEnded(RunningSession ended, FdtException failure, SessionFilters filters) {
    host.sessions().remove(ended, failure); // whatever else fails, its places are free
    if (filters.wantsResults()) {
      host.afterwards().execute(() -> filters.after(failure));
    }
    if (run == null) {
      host.clientLeft().run();
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
  private final class SessionWatch implements Session.Listener {
    private final SessionFilters filters;

    SessionWatch(SessionFilters filters) {
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
      sessionEnded(ended, failure, filters);
    }
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
    Session current = session;
    if (run != null) {
      run.cancel(
          new FdtException(ErrorCode.CANCELLED, "the client that directs the transfer has gone"));
    }
    if (current != null) {
      current.loop().run(() -> current.onControlClosed(connection, cause));
    } else if (greeted) {
      host.clientLeft().run();
    }
  }

  /** What the session's path reports. */
  private record Events(Session session, String name, SessionFilters filters)
      implements TransferEvents {
    @Override
    public void fileDone(Supplier<String> path, long size, byte[] digest) {
      if (filters.wantsResults()) {
        filters.done(path.get(), size, digest);
      }
    }

    @Override
    public void fileUnchanged(Supplier<String> path, long size) {
      if (filters.wantsResults()) {
        filters.unchanged(path.get(), size);
      }
    }

    @Override
    public void problem(String path, boolean skipped, ErrorCode code, String message) {
      filters.problem(path, skipped, message);
      LOG.debug("not transferred session={} path={} reason={}", name, path, message);
    }

    @Override
    public void notice(String message) {
      LOG.info("notice session={} message={}", name, message);
    }

    @Override
    public void finished() {
      session.finish();
    }

    @Override
    public void failed(FdtException cause) {
      session.abort(cause);
    }
  }
}
