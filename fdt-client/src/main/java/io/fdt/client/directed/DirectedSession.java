package io.fdt.client.directed;

import com.google.protobuf.ByteString;
import io.fdt.client.DetachHook;
import io.fdt.client.DetachedTransfer;
import io.fdt.client.Transfer;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferProgress;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.client.transfer.SessionOfTransfer;
import io.fdt.client.transfer.TransferPlan;
import io.fdt.core.engine.HostThreads;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.spec.SessionDeadlines;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.DetachRun;
import io.fdt.core.wire.control.OpenSession;
import io.fdt.core.wire.control.PeerProbed;
import io.fdt.core.wire.control.PrepareSession;
import io.fdt.core.wire.control.ProbePeer;
import io.fdt.core.wire.control.RateLimit;
import io.fdt.core.wire.control.RunSession;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One session between two servers, directed by this client. The source dials the destination if it
 * reaches it; otherwise the destination dials.
 *
 * <pre>
 *   CONNECTING -> PROBING -> PREPARING (the accepting server issues a ticket) -> RUNNING -> ENDED
 * </pre>
 *
 * <p>Methods of {@link Transfer} may be called on any thread; the rest runs on its own thread.
 */
public final class DirectedSession implements SessionOfTransfer {
  private static final Logger LOG = LoggerFactory.getLogger(DirectedSession.class);

  /** A day, longer than any round trip. */
  private static final long MOST_ROUND_TRIP_MICROS = TimeUnit.DAYS.toMicros(1);

  private final DirectedEnd source;
  private final DirectedEnd destination;
  private final TransferPlan pull;
  private final TransferPlan push;
  private final TransferListener listener;
  private final Runnable whenAgreed;
  private final DetachHook hook;
  private final SessionId id = SessionId.random(new SecureRandom());
  private final byte[] secret = Join.newSecret(new SecureRandom());
  private final HostThreads threads;
  private final long startNanos;
  private final CompletableFuture<TransferReport> completion = new CompletableFuture<>();
  private final CompletableFuture<DetachedTransfer> left = new CompletableFuture<>();
  private final String command;
  private final boolean leaves;
  private volatile HostThreads.Started thread;
  private volatile boolean agreed;
  private Duration roundTrip = Duration.ZERO;
  private long sentRate;
  private volatile boolean lost;

  /** Written under the lock of this. */
  private volatile RunFollower follower;

  // Guarded by this.
  private boolean cancelled;

  /**
   * A session that its client follows to its end.
   *
   * @param request between two servers
   * @param whenAgreed runs when both servers have accepted the session
   */
  public DirectedSession(
      DirectedEnd source,
      DirectedEnd destination,
      TransferRequest request,
      TransferListener listener,
      Runnable whenAgreed) {
    this(source, destination, request, listener, whenAgreed, DetachHook.OPEN, false);
  }

  /**
   * A session from which the client detaches as soon as both servers have accepted it.
   *
   * @param request between two servers
   * @param hook called before the servers begin
   */
  public DirectedSession(
      DirectedEnd source,
      DirectedEnd destination,
      TransferRequest request,
      TransferListener listener,
      DetachHook hook) {
    this(source, destination, request, listener, () -> {}, hook, true);
  }

  private DirectedSession(
      DirectedEnd source,
      DirectedEnd destination,
      TransferRequest request,
      TransferListener listener,
      Runnable whenAgreed,
      DetachHook hook,
      boolean leaves) {
    request.checkBetween();
    if (!source.dials() && !destination.dials()) {
      throw new IllegalArgumentException("neither server may connect to the other one");
    }
    this.source = source;
    this.destination = destination;
    this.pull = TransferPlan.of(request.as(TransferRequest.Direction.PULL));
    this.push = TransferPlan.of(request.as(TransferRequest.Direction.PUSH));
    this.sentRate = push.limit().bytesPerSecond();
    this.command = request.command();
    this.leaves = leaves;
    this.listener = listener;
    this.whenAgreed = whenAgreed;
    this.hook = hook;
    this.threads = source.dialer().node().threads();
    this.startNanos = threads.nanoTime();
  }

  @Override
  public void start() {
    thread = threads.start("fdt-" + id.shortName() + "-direct", this::direct);
  }

  private void direct() {
    FdtException failure = null;
    try {
      failure = run();
    } catch (FdtException e) {
      failure = e;
    } catch (InterruptedException e) {
      failure = new FdtException(ErrorCode.CANCELLED, "cancelled by the client", e);
    } catch (RuntimeException | Error e) { // any failure must reach the waiting thread
      failure = FdtException.unforeseen("the transfer failed", e);
    }
    TransferReport report = report(failure);
    left.completeExceptionally(
        failure != null
            ? failure
            : new FdtException(
                ErrorCode.INTERNAL, "the transfer ended before the client detached"));
    completion.complete(report);
  }

  private TransferReport report(FdtException failure) {
    RunFollower current = follower;
    return current != null
        ? current.report(failure)
        : TransferReport.failed(failure, Duration.ofNanos(threads.nanoTime() - startNanos));
  }

  /**
   * @return the failure; null for a complete transfer
   */
  private FdtException run() throws FdtException, InterruptedException {
    CompletableFuture<Director> opening =
        threads.supply("fdt-" + id.shortName() + "-direct-to", () -> Director.open(destination));
    try {
      Director from = Director.open(source);
      try {
        return run(from, opened(opening));
      } finally {
        from.close();
      }
    } finally {
      opening.thenAccept(Director::close);
    }
  }

  private Director opened(CompletableFuture<Director> opening)
      throws FdtException, InterruptedException {
    try {
      return threads.get(opening);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof FdtException known
          ? known
          : FdtException.unforeseen("the transfer failed", e.getCause());
    }
  }

  private FdtException run(Director from, Director to) throws FdtException, InterruptedException {
    boolean sourceDials = sourceDials(from, to);
    Director dialing = sourceDials ? from : to;
    Director accepting = sourceDials ? to : from;
    TransferPlan ofSource = over(pull);
    TransferPlan ofDestination = over(push);
    OpenSession own = (sourceDials ? ofSource : ofDestination).open();
    OpenSession peer =
        (sourceDials ? ofDestination : ofSource)
            .open().toBuilder().setEncrypted(source.dialer().encryptsData()).build();
    accepting.send(
        Control.newBuilder()
            .setPrepareSession(
                PrepareSession.newBuilder().setOpen(peer).setPeerKey(dialing.address().getKey())));
    ByteString ticket =
        expect(accepting, Control.BodyCase.SESSION_PREPARED).getSessionPrepared().getTicket();
    SessionDeadlines deadlines = source.dialer().deadlines();
    RunSession.Builder run =
        RunSession.newBuilder()
            .setOwn(
                own.toBuilder()
                    .clearTellState() // a server reports to its client, not to its peer
                    .setEncrypted(source.dialer().encryptsData())
                    .setRateLimit(sentRate)
                    .setSessionId(ByteString.copyFrom(id.bytes()))
                    .setSessionSecret(ByteString.copyFrom(secret)))
            .setPeer(peer)
            .setAddress(accepting.address())
            .setTicket(ticket)
            .setIdleTimeout(deadlines.idleTimeout().toMillis())
            .setRetryTimeoutPlusOne(deadlines.retryTimeout().toMillis() + 1)
            .setStallTimeout(deadlines.stallTimeout().toMillis())
            .setCommand(command);
    RunFollower following =
        new RunFollower(sourceDials ? source : destination, listener, deadlines.retryTimeout());
    hook.pass(id.toString(), sourceDials);
    following.asked(id, push.spec().digestMethod().construction());
    synchronized (this) {
      if (cancelled) {
        throw new InterruptedException();
      }
      dialing.send(Control.newBuilder().setRunSession(run));
      follower = following;
    }
    try {
      FdtException failure = following.follow(dialing, new Owner(sourceDials));
      return failure != null && following.isLost() ? restarted(failure) : failure;
    } finally {
      lost = following.isLost();
    }
  }

  private FdtException restarted(FdtException failure) {
    return push.reasonNotToRepeat()
        .map(why -> new FdtException(failure.code(), "a server restarted, and " + why, failure))
        .orElse(failure);
  }

  /** Whether one server reaches the other. */
  public static boolean reaches(DirectedEnd from, DirectedEnd to)
      throws FdtException, InterruptedException {
    Director accepting = Director.open(to);
    try {
      Director dialing = Director.open(from);
      try {
        probe(dialing, accepting);
        return probed(dialing).getCode() == 0;
      } finally {
        dialing.close();
      }
    } finally {
      accepting.close();
    }
  }

  /** Finds out which server reaches the other; the source dials if it may and can. */
  private boolean sourceDials(Director from, Director to)
      throws FdtException, InterruptedException {
    if (source.dials()) {
      probe(from, to);
    }
    if (destination.dials()) {
      probe(to, from);
    }
    Optional<PeerProbed> ofSource = source.dials() ? Optional.of(probed(from)) : Optional.empty();
    if (ofSource.isPresent() && ofSource.get().getCode() == 0) {
      roundTrip = roundTrip(ofSource.get());
      LOG.info("{} connects to {}", from.name(), to.name());
      return true;
    }
    if (!destination.dials()) {
      throw unreached(ofSource.orElseThrow(), from, to);
    }
    PeerProbed ofDestination = probed(to);
    if (ofDestination.getCode() != 0) {
      boolean isOne = from.name().equals(to.name());
      if (ofSource.isEmpty() || isOne) {
        throw unreached(ofDestination, to, from);
      }
      throw new FdtException(
          ErrorCode.ofWireCode(ofSource.get().getCode()),
          "neither server reaches the other: from %s: %s; from %s: %s"
              .formatted(from.name(), reason(ofSource.get()), to.name(), reason(ofDestination)));
    }
    roundTrip = roundTrip(ofDestination);
    if (ofSource.isPresent()) {
      listener.notice(
          "%s connects to %s, because the reverse direction fails: %s"
              .formatted(to.name(), from.name(), reason(ofSource.get())));
    }
    return false;
  }

  private static FdtException unreached(PeerProbed answer, Director dialing, Director accepting) {
    return new FdtException(
        ErrorCode.ofWireCode(answer.getCode()),
        "%s does not reach %s: %s".formatted(dialing.name(), accepting.name(), reason(answer)));
  }

  private static String reason(PeerProbed answer) {
    return MessageText.received(answer.getMessage());
  }

  /** Asks a server to probe the other. */
  private static void probe(Director dialing, Director accepting) {
    dialing.send(
        Control.newBuilder().setProbePeer(ProbePeer.newBuilder().setPeer(accepting.address())));
  }

  private static PeerProbed probed(Director dialing) throws FdtException, InterruptedException {
    return expect(dialing, Control.BodyCase.PEER_PROBED).getPeerProbed();
  }

  private static Duration roundTrip(PeerProbed probed) {
    long micros = Math.max(0, Math.min(probed.getRoundTripMicros(), MOST_ROUND_TRIP_MICROS));
    return Duration.of(micros, ChronoUnit.MICROS);
  }

  /**
   * The plan refined for the path between the servers. Encrypted streams start at their final
   * number.
   */
  private TransferPlan over(TransferPlan plan) {
    return source.dialer().encryptsData() ? plan : plan.over(roundTrip);
  }

  /** Sends a changed limit to the server that dials, which enforces it for both directions. */
  private void sendRate(Director dialing) {
    long rate = push.limit().bytesPerSecond();
    if (rate != sentRate) {
      sentRate = rate;
      dialing.send(
          Control.newBuilder().setRateLimit(RateLimit.newBuilder().setBytesPerSecond(rate)));
    }
  }

  /** The answer to a request; late answers to earlier requests are skipped. */
  private static Control expect(Director director, Control.BodyCase answer)
      throws FdtException, InterruptedException {
    Control message = director.next();
    while (message.getBodyCase() == Control.BodyCase.PEER_PROBED
        && answer != Control.BodyCase.PEER_PROBED) {
      message = director.next();
    }
    if (message.getBodyCase() != answer) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "unexpected message " + message.getBodyCase() + ", expected " + answer);
    }
    return message;
  }

  @Override
  public boolean isContinuable(TransferReport report, Set<ErrorCode> passing) {
    if (report.failure().isEmpty()) {
      return false;
    }
    ErrorCode cause = report.failure().get();
    return agreed ? lost || cause == ErrorCode.SHUTTING_DOWN : passing.contains(cause);
  }

  @Override
  public TransferProgress progress() {
    RunFollower current = follower;
    return current == null
        ? TransferProgress.none(Duration.ofNanos(threads.nanoTime() - startNanos))
        : current.progress();
  }

  @Override
  public CompletableFuture<TransferReport> completion() {
    return completion;
  }

  @Override
  public synchronized void cancel() {
    if (left.isDone() && !left.isCompletedExceptionally()) {
      return; // the servers own the session now; this client may be closed before the thread ends
    }
    cancelled = true;
    if (follower == null) {
      Optional.ofNullable(thread).ifPresent(HostThreads.Started::interrupt);
    } else {
      follower.cancel();
    }
  }

  /** Completes when this client has detached; exceptionally when the session has ended before. */
  public CompletableFuture<DetachedTransfer> left() {
    return left;
  }

  /** Handles events of the session while this client follows it. */
  private final class Owner implements RunFollower.Owner {
    private final boolean sourceDials;
    private Director asked;

    Owner(boolean sourceDials) {
      this.sourceDials = sourceDials;
    }

    @Override
    public void agreed() {
      agreed = true;
      whenAgreed.run();
    }

    /** {@inheritDoc} Sends a changed limit. */
    @Override
    @SuppressWarnings("ReferenceEquality") // connections have identity only
    public void received(Director server) {
      sendRate(server);
      if (leaves && agreed && asked != server) {
        asked = server;
        server.send(Control.newBuilder().setDetachRun(DetachRun.getDefaultInstance()));
      }
    }

    @Override
    public void detached() {
      left.complete(new DetachedTransfer(id.toString(), sourceDials));
    }

    /** {@inheritDoc} The server keeps the outcome. */
    @Override
    public void ended() {
      if (agreed) {
        detached();
      }
    }
  }
}
