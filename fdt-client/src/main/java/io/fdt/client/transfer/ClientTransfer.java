package io.fdt.client.transfer;

import io.fdt.client.DeletedName;
import io.fdt.client.DoneFile;
import io.fdt.client.FileProblem;
import io.fdt.client.FoundFile;
import io.fdt.client.Transfer;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferProgress;
import io.fdt.client.TransferReport;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.metrics.Progress;
import io.fdt.core.model.EntryKind;
import io.fdt.core.node.DialedSession;
import io.fdt.core.node.Dialer;
import io.fdt.core.plain.PlainDigests;
import io.fdt.core.tuning.Observation;
import io.fdt.core.wire.stripe.DataNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * One session of a transfer, with its events and report for the user.
 *
 * <p>Methods of {@link Transfer} may be called on any thread; the rest is confined to one event
 * loop.
 */
public final class ClientTransfer implements SessionOfTransfer, DialedSession.Listener {
  private final String server;
  private final TransferPlan plan;
  private final Optional<StreamCountCache> memory;
  private final StreamCountCache.Seen seen = new StreamCountCache.Seen();
  private final TransferListener listener;
  private final Runnable whenAgreed;
  private final DialedSession session;
  private final long startNanos = System.nanoTime();
  private final CompletableFuture<TransferReport> completion = new CompletableFuture<>();
  private final List<FileProblem> problems = Collections.synchronizedList(new ArrayList<>());
  private volatile int streamsInUse = Integer.MAX_VALUE;

  /** When the server accepted a network test: connecting is not measured. */
  private volatile OptionalLong nettestStartNanos = OptionalLong.empty();

  private volatile Optional<NettestEnd> nettestEnd = Optional.empty();

  private record NettestEnd(Progress progress, Duration elapsed) {}

  /**
   * @param memory stores the tuned number of streams; empty for none
   * @param whenAgreed runs when the server has accepted the session; on its event loop
   */
  public ClientTransfer(
      Dialer dialer,
      TransferPlan plan,
      Optional<StreamCountCache> memory,
      TransferListener listener,
      Runnable whenAgreed) {
    this.server = dialer.host() + ":" + dialer.port();
    this.memory = plan.spec().tuning().streams() ? memory : Optional.empty();
    this.plan = begin(plan);
    this.listener = listener;
    this.whenAgreed = whenAgreed;
    this.session = new DialedSession(dialer, this.plan, this);
    use(this.plan.spec().tuning().startStreams());
  }

  private TransferPlan begin(TransferPlan asked) {
    if (memory.isEmpty() || asked.spec().tuning().startStreams() > 0) {
      return asked;
    }
    OptionalInt known = memory.get().streams(server, asked.direction());
    return known.isEmpty() ? asked : asked.startingWith(known.getAsInt());
  }

  /**
   * @param inUse streams in use; 0 when unknown
   */
  private void use(int inUse) {
    if (inUse > 0) {
      streamsInUse = inUse;
    }
  }

  @Override
  public void start() {
    session.start();
  }

  @Override
  public void agreed() {
    whenAgreed.run();
    if (plan.endsAfter().isPresent() && nettestStartNanos.isEmpty()) {
      nettestStartNanos = OptionalLong.of(System.nanoTime());
      session.loop().after(plan.endsAfter().get().toNanos(), this::nettestOver);
    }
  }

  @Override
  public void dataAddresses(List<DataNode> addresses, int streamsEach) {
    // This end has no data nodes; the session dials those of the server itself.
  }

  @Override
  public FdtException whenLost(FdtException cause) {
    return plan.reasonNotToRepeat()
        .map(reason -> new FdtException(cause.code(), "the server restarted, and " + reason))
        .orElse(cause);
  }

  @Override
  public boolean isContinuable(TransferReport report, Set<ErrorCode> passing) {
    if (report.failure().isEmpty()) {
      return false;
    }
    ErrorCode cause = report.failure().get();
    return session.isAgreed()
        ? session.isLost() || cause == ErrorCode.SHUTTING_DOWN
        : passing.contains(cause);
  }

  private void nettestOver() {
    if (!completion.isDone()) {
      nettestEnd = Optional.of(new NettestEnd(session.progress(), elapsed()));
      session.fail(new FdtException(ErrorCode.CANCELLED, "the network test is complete"));
    }
  }

  @Override
  public void problem(String path, boolean skipped, ErrorCode code, String message) {
    FileProblem problem = new FileProblem(path, skipped, code, message);
    if (TransferReport.keeps(problem, problems.size())) {
      problems.add(problem);
    }
    plan.plainDigests().ifPresent(digests -> digests.take(path));
    listener.problem(problem);
  }

  @Override
  public void fileDone(Supplier<String> path, long size, boolean resumed, byte[] digest) {
    Optional<PlainDigests> plain = plan.plainDigests();
    Optional<byte[]> made = plain.flatMap(digests -> digests.take(path.get()));
    listener.fileDone(
        made.isPresent()
            ? new DoneFile(path, size, resumed, plan.construction(), made.get())
            : new DoneFile(path, size, resumed, plan.spec().digestMethod().construction(), digest));
  }

  @Override
  public void fileUnchanged(Supplier<String> path, long size, boolean isNewer, byte[] digest) {
    listener.fileUnchanged(FoundFile.unchanged(path, size, isNewer));
  }

  @Override
  public void fileDue(Supplier<String> path, long size, long toMove, boolean replaces) {
    listener.fileDue(new FoundFile(path, size, toMove, replaces));
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
    session.fail(cause);
  }

  @Override
  public void ended(FdtException failure) {
    try {
      memory.ifPresent(paths -> paths.keep(server, plan.direction(), seen));
    } finally { // any failure must reach the waiting thread
      completion.complete(report(nettestEnd.isPresent() ? null : failure));
    }
  }

  private TransferReport report(FdtException failure) {
    Progress all = nettestEnd.map(NettestEnd::progress).orElseGet(session::progress);
    return new TransferReport(
        session.id().shortName(),
        Optional.ofNullable(failure).map(FdtException::code),
        failure == null ? "" : failure.getMessage(),
        all.figures(),
        plan.construction(),
        nettestEnd.map(NettestEnd::elapsed).orElseGet(this::elapsed),
        List.copyOf(problems));
  }

  private Duration elapsed() {
    long now = System.nanoTime();
    return plan.endsAfter().isPresent()
        ? Duration.ofNanos(now - nettestStartNanos.orElse(now))
        : Duration.ofNanos(now - startNanos);
  }

  @Override
  public TransferProgress progress() {
    Progress p = session.progress();
    return new TransferProgress(
        p.figures(),
        Math.min(p.streams(), streamsInUse),
        elapsed(),
        Duration.ofNanos(session.stalledNanos()),
        p.current());
  }

  @Override
  public CompletableFuture<TransferReport> completion() {
    return completion;
  }

  @Override
  public void cancel() {
    session.abort(new FdtException(ErrorCode.CANCELLED, "cancelled by the client"));
  }
}
