package io.fdt.client;

import com.google.protobuf.ByteString;
import io.fdt.core.engine.DataPath;
import io.fdt.core.engine.NettySessionLoop;
import io.fdt.core.engine.Session;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.engine.SessionRuntime;
import io.fdt.core.engine.TransferEvents;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.metrics.Progress;
import io.fdt.core.model.EntryKind;
import io.fdt.core.receive.ReceiverPipeline;
import io.fdt.core.send.SenderPipeline;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.tuning.Observation;
import io.fdt.core.wire.AbortCoding;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.ResumeSession;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The client's end of one transfer, from the first connection to the report.
 *
 * <pre>
 *   CONNECTING -> OPENING (all is under way, the server has not agreed yet) -> RUNNING -> ENDED
 *                                                   '-- connection lost: dialled again, session resumed --^
 * </pre>
 *
 * <p>Methods of {@link Transfer} may be called on any thread; the rest is confined to one event
 * loop.
 */
final class ClientTransfer implements Transfer, Session.Listener, TransferEvents {
  private enum State {
    CONNECTING,
    OPENING,
    RUNNING,
    ENDED
  }

  private final Dialer dialer;

  /** Another one once the path is known. */
  private volatile TransferPlan plan;

  private final Optional<StreamCountCache> memory;
  private final StreamCountCache.Seen seen = new StreamCountCache.Seen();
  private final TransferListener listener;
  private final SessionId id;
  private final byte[] secret = new byte[Join.SECRET_LENGTH];
  private final EventLoop eventLoop;
  private final SessionLoop loop;
  private final PreconnectedSockets lines;
  private final long startNanos = System.nanoTime();
  private final CompletableFuture<TransferReport> completion = new CompletableFuture<>();
  private final List<FileProblem> problems = Collections.synchronizedList(new ArrayList<>());
  private volatile int streamsInUse = Integer.MAX_VALUE;
  private State state = State.CONNECTING;
  private long lastHeardNanos;
  private volatile Thread connecting;
  private FdtException cancelled;
  private volatile Session session;
  private volatile ControlConnection control;
  private StreamDialer streams;
  private Resumption resumption;
  private Optional<Progress> nettestStart = Optional.empty();
  private final Runnable whenAgreed;
  private volatile boolean agreed;

  /** The server has said that it does not know the session any more. */
  private volatile boolean lost;

  /**
   * @param memory where the number of streams that was found out is kept; empty for nowhere
   * @param whenAgreed run when the server has agreed to the session; on its event loop
   */
  ClientTransfer(
      Dialer dialer,
      TransferPlan plan,
      Optional<StreamCountCache> memory,
      TransferListener listener,
      Runnable whenAgreed) {
    this.dialer = dialer;
    this.whenAgreed = whenAgreed;
    this.memory = plan.tuning().streams() ? memory : Optional.empty();
    this.plan = begin(plan);
    this.listener = listener;
    SecureRandom random = new SecureRandom();
    this.id = SessionId.random(random);
    random.nextBytes(secret);
    this.eventLoop = dialer.loops().next();
    this.loop = new NettySessionLoop(eventLoop, this::failed);
    this.lines = new PreconnectedSockets(dialer.tcp());
  }

  private TransferPlan begin(TransferPlan asked) {
    if (memory.isEmpty() || asked.tuning().startStreams() > 0) {
      return asked;
    }
    OptionalInt known = memory.get().streams(server(), asked.direction());
    return known.isEmpty() ? asked : asked.startingWith(known.getAsInt());
  }

  private String server() {
    return dialer.host() + ":" + dialer.port();
  }

  /** Connects, on a thread of its own: name resolution blocks. */
  void start() {
    connecting = new Thread(this::connect, "fdt-" + id.shortName() + "-connect");
    connecting.setDaemon(true);
    try {
      connecting.start();
    } catch (OutOfMemoryError e) { // no thread
      FdtException cause = FdtException.unforeseen("cannot start", e);
      loop.run(() -> end(cause));
    }
  }

  private void connect() {
    try {
      Dialer.Dialed dialed =
          dialer.dial(
              eventLoop,
              (server, roundTrip) -> lines.prepare(server, planOver(roundTrip).streams()),
              Connection::new);
      loop.run(() -> connected(dialed));
    } catch (FdtException e) {
      loop.run(() -> end(e));
    } catch (RuntimeException | Error e) { // whoever waits must hear of it
      FdtException cause = FdtException.unforeseen("connecting failed", e);
      loop.run(() -> end(cause));
    }
  }

  /** Streams within TLS come too late to help at the beginning. */
  private TransferPlan planOver(Duration roundTrip) {
    return dialer.encryptsData() ? plan : plan.over(roundTrip);
  }

  private void connected(Dialer.Dialed dialed) {
    control = dialed.control();
    if (state == State.ENDED || cancelled != null) {
      lines.close();
      control.close();
      end(cancelled);
      return;
    }
    state = State.OPENING;
    plan = planOver(control.roundTrip());
    session = new Session(id, loop, control, dialer.deadlines(), this);
    streams = new StreamDialer(dialer, loop, lines, dialed, id, secret, plan, session);
    resumption = new Resumption(dialer, eventLoop, loop, Connection::new, this::resumeMessage);
    control.send(
        Control.newBuilder()
            .setOpenSession(
                plan.open().toBuilder()
                    .setEncrypted(dialer.encryptsData())
                    .setSessionId(ByteString.copyFrom(id.bytes()))
                    .setSessionSecret(ByteString.copyFrom(secret)))
            .build());
    use(plan.tuning().startStreams());
    begin(); // the server's answer is not waited for
    lastHeardNanos = System.nanoTime();
    watchOpening();
  }

  /**
   * @param inUse those that are not parked; 0 when nobody has said it
   */
  private void use(int inUse) {
    if (inUse > 0) {
      streamsInUse = inUse;
    }
  }

  /** A server whose filters take their time says that it is alive. */
  private void watchOpening() {
    if (state != State.OPENING) {
      return;
    }
    long silent = System.nanoTime() - lastHeardNanos;
    long patience = dialer.idleTimeout().toNanos();
    if (silent >= patience) {
      failed(
          new FdtException(
              ErrorCode.TIMEOUT,
              "%s did not answer within %d s"
                  .formatted(control.peer(), dialer.idleTimeout().toSeconds())));
    } else {
      loop.after(patience - silent, this::watchOpening);
    }
  }

  /** A control connection of this transfer: the first one, or one that replaces it. */
  private final class Connection implements ControlConnection.Handler {
    private final ControlConnection connection;

    Connection(ControlConnection connection) {
      this.connection = connection;
    }

    @Override
    public void message(Control message) throws FdtException {
      lastHeardNanos = System.nanoTime();
      switch (message.getBodyCase()) {
        case WELCOME -> {}
        case SESSION_OPENED -> {
          if (state == State.OPENING) {
            state = State.RUNNING;
            agreed = true;
            session.agreed();
            streams.agreed();
            whenAgreed.run();
            plan.endsAfter()
                .ifPresent(time -> loop.after(time.toNanos(), ClientTransfer.this::nettestOver));
          }
        }
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
      failed(e);
    }
  }

  /** A server that does not know the session any more says UNREACHABLE. */
  private void notResumed(ControlConnection connection, FdtException cause) {
    if (cause.code() == ErrorCode.UNREACHABLE) {
      lost = true;
      session.abort(
          plan.reasonNotToRepeat()
              .map(reason -> new FdtException(cause.code(), "the server restarted, and " + reason))
              .orElse(cause));
    } else if (cause.code().retry() == ErrorCode.Retry.LATER) {
      resumption.refused(connection);
    } else {
      session.abort(cause); // the session cannot go on
    }
  }

  /**
   * Whether another session may do what this one has left.
   *
   * @param report of this one, which has ended
   * @param passing for which refusals of this session, which the server never agreed to
   */
  boolean isContinuable(TransferReport report, Set<ErrorCode> passing) {
    if (report.failure().isEmpty()) {
      return false;
    }
    ErrorCode cause = report.failure().get();
    return agreed ? lost || cause == ErrorCode.SHUTTING_DOWN : passing.contains(cause);
  }

  private void resumed(ControlConnection connection, Control message) throws FdtException {
    resumption.succeeded();
    control = connection;
    session.resume(connection, null, message.getSessionResumed().getReceived());
    streams.start();
    listener.notice("the connection to " + connection.peer() + " is back");
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

  private void begin() {
    String name = "fdt-" + id.shortName();
    DataPath path = plan.isPull() ? receivePath(name) : sendPath(name);
    path.limit(plan.limit(), plan.open().getRateLimit());
    session.startEarly(path);
    streams.start();
  }

  private ReceiverPipeline receivePath(String name) {
    ReceiverPipeline path =
        new ReceiverPipeline(
            new SessionRuntime(name, loop),
            plan.settings(),
            plan.destination(),
            session::send,
            this);
    if (plan.open().getTellState()) {
      path.hearSender();
    }
    return path;
  }

  private SenderPipeline sendPath(String name) {
    SenderPipeline path =
        new SenderPipeline(
            new SessionRuntime(name, loop),
            dialer.allocator(),
            plan.settings(),
            plan.source(),
            session::send,
            this);
    path.tune(plan.tuning(), control.roundTrip());
    return path;
  }

  private void nettestOver() {
    if (state == State.RUNNING) {
      nettestStart = Optional.of(session.progress());
      session.abort(new FdtException(ErrorCode.CANCELLED, "the test is over"));
    }
  }

  @Override
  public void problem(String path, boolean skipped, ErrorCode code, String message) {
    FileProblem problem = new FileProblem(path, skipped, code, message);
    if (problems.size() < TransferReport.MAX_PROBLEMS) {
      problems.add(problem);
    }
    listener.problem(problem);
  }

  @Override
  public void fileDone(Supplier<String> path, long size, byte[] digest) {
    listener.fileDone(
        new DoneFile(path, size, plan.settings().digestMethod().construction(), digest));
  }

  @Override
  public void fileUnchanged(Supplier<String> path, long size) {
    listener.fileUnchanged(new FoundFile(path, size, 0));
  }

  @Override
  public void fileDue(Supplier<String> path, long size, long toMove) {
    listener.fileDue(new FoundFile(path, size, toMove));
  }

  @Override
  public void deleted(String path, EntryKind kind, boolean pretended) {
    listener.deleted(new DeletedName(path, Optional.ofNullable(kind), pretended));
  }

  @Override
  public void observed(Observation observation) {
    seen.add(observation);
    use(observation.sample().streams());
    listener.observed(observation);
  }

  @Override
  public void notice(String message) {
    listener.notice(message);
  }

  @Override
  public void finished() {
    session.finish();
  }

  @Override
  public void failed(FdtException cause) {
    if (session == null) {
      end(cause);
    } else {
      session.abort(cause);
    }
  }

  private void end(FdtException failure) {
    if (state == State.ENDED) {
      return;
    }
    state = State.ENDED;
    try {
      lines.close();
      if (streams != null) {
        streams.stop();
        resumption.stop();
      }
      memory.ifPresent(paths -> paths.keep(server(), plan.direction(), seen));
    } finally { // whoever waits must hear of it
      boolean testOver = nettestStart.isPresent();
      completion.complete(report(testOver ? null : failure));
    }
  }

  private TransferReport report(FdtException failure) {
    Progress all = session == null ? Progress.NONE : nettestStart.orElse(session.progress());
    return new TransferReport(
        id.shortName(),
        Optional.ofNullable(failure).map(FdtException::code),
        failure == null ? "" : failure.getMessage(),
        all.bytesDone(),
        all.bytesKept(),
        all.wireBytes(),
        all.filesDone(),
        all.filesUnchanged(),
        all.filesDue(),
        plan.settings().dryRun() ? all.bytesTotal() : 0,
        all.failures(),
        all.directories(),
        all.links(),
        all.skipped(),
        all.deleted(),
        all.blocksRepeated(),
        plan.settings().digestMethod().construction(),
        Duration.ofNanos(System.nanoTime() - startNanos),
        List.copyOf(problems));
  }

  @Override
  public TransferProgress progress() {
    Session running = session;
    Progress p = running == null ? Progress.NONE : running.progress();
    long stalled = running == null ? 0 : running.stalledNanos();
    return new TransferProgress(
        p.bytesDone(),
        p.bytesTotal(),
        p.filesDone(),
        p.filesUnchanged(),
        p.failures(),
        p.filesTotal(),
        p.totalsAreFinal(),
        Math.min(p.streams(), streamsInUse),
        Duration.ofNanos(System.nanoTime() - startNanos),
        Duration.ofNanos(stalled));
  }

  @Override
  public CompletableFuture<TransferReport> completion() {
    return completion;
  }

  @Override
  public void cancel() {
    FdtException cause = new FdtException(ErrorCode.CANCELLED, "cancelled by the client");
    loop.run(
        () -> {
          if (state == State.CONNECTING) {
            cancelled = cause;
            connecting.interrupt();
            end(cause);
          } else if (state != State.ENDED) {
            failed(cause);
          }
        });
  }
}
