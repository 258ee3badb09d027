package io.fdt.client.transfer;

import io.fdt.client.Transfer;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferProgress;
import io.fdt.client.TransferReport;
import io.fdt.core.engine.HostThreads;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.unit.Backoff;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * A transfer that survives a restart of its server: the next session repeats the request, and
 * transfers the rest.
 *
 * <pre>
 *   session runs -- the server has lost it, or stops --&gt; retried with growing pauses
 *      ^  '-- ends otherwise --&gt; ended                      |  '-- too long without progress --&gt; ended
 *      '----------------------- it runs --------------------'
 * </pre>
 *
 * <p>Sessions do not overlap: each begins when the previous one has released its files. Any thread.
 */
public final class ContinuedTransfer implements Transfer {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration LAST_PAUSE = Duration.ofSeconds(5);

  /** Reasons for which a server may temporarily refuse an accepted request. */
  private static final Set<ErrorCode> PASSING =
      EnumSet.of(
          ErrorCode.UNREACHABLE,
          ErrorCode.TIMEOUT,
          ErrorCode.SHUTTING_DOWN,
          ErrorCode.BUSY,
          ErrorCode.IN_USE);

  /** Creates sessions of the transfer. */
  public interface Sessions {
    /**
     * The next session, not started.
     *
     * @param agreed runs when the server has accepted the session
     */
    SessionOfTransfer next(TransferListener listener, Runnable agreed);
  }

  private final Sessions sessions;
  private final EventLoop timer;
  private final TransferListener listener;
  private final ReportedOnce reported;
  private final boolean dryRun;
  private final Duration patience;
  private final HostThreads threads;
  private final long startNanos;
  private final CompletableFuture<TransferReport> completion = new CompletableFuture<>();

  // Guarded by this.
  private PastSessions past = PastSessions.NONE;
  private SessionOfTransfer current;
  private boolean runs;
  private boolean continuing;
  private boolean cancelled;
  private long lastMovedNanos;
  private final Backoff pauses = new Backoff(FIRST_PAUSE, LAST_PAUSE);
  private TransferReport lastReport;

  /**
   * @param patience how long to retry the next session
   */
  ContinuedTransfer(
      Sessions sessions,
      EventLoop timer,
      HostThreads threads,
      TransferListener listener,
      boolean dryRun,
      Duration patience) {
    this.sessions = sessions;
    this.timer = timer;
    this.threads = threads;
    this.startNanos = threads.nanoTime();
    this.listener = listener;
    this.reported = new ReportedOnce(listener);
    this.dryRun = dryRun;
    this.patience = patience;
  }

  void start() {
    try {
      startNext();
    } catch (RuntimeException | Error e) { // any failure must reach the waiting thread
      completion.complete(
          TransferReport.failed(FdtException.unforeseen("cannot start", e), elapsed()));
    }
  }

  private synchronized void startNext() {
    if (cancelled) {
      return;
    }
    current = sessions.next(reported, this::agreed);
    runs = true;
    current.completion().thenAccept(this::ended);
    current.start();
  }

  private void agreed() {
    boolean again;
    synchronized (this) {
      again = continuing;
      continuing = false;
      pauses.reset();
    }
    if (again) {
      listener.notice("the server restarted: continuing");
    }
  }

  private void ended(TransferReport report) {
    try {
      endOfSession(report).ifPresent(completion::complete);
    } catch (RuntimeException | Error e) { // any failure must reach the waiting thread
      completion.complete(
          TransferReport.failed(FdtException.unforeseen("cannot continue", e), elapsed()));
    }
  }

  /** The report of the transfer, or empty when another session follows. */
  private synchronized Optional<TransferReport> endOfSession(TransferReport report) {
    runs = false;
    long now = threads.nanoTime();
    if (report.figures().bytesDone() > 0
        || report.figures().files().done() > 0
        || lastReport == null) {
      lastMovedNanos = now;
    }
    boolean mayGoOn = current.isContinuable(report, continuing ? PASSING : Set.of());
    if (!mayGoOn) {
      return Optional.of(past.whole(report, reported, elapsed()));
    }
    if (cancelled) { // requested after the session had ended: not the reason for the end
      return Optional.of(past.whole(report, reported, elapsed()).withFailure(cancellation()));
    }
    if (now - lastMovedNanos > patience.toNanos()) {
      return Optional.of(givenUp(report));
    }
    if (!continuing && report.failure().equals(Optional.of(ErrorCode.SHUTTING_DOWN))) {
      listener.notice(report.failureMessage() + ": trying again");
    }
    TransferProgress shown = past.whole(current.progress(), reported, elapsed());
    past = dryRun ? past.after(shown) : past.and(report, reported.bytesOfDone(), shown);
    reported.again();
    continuing = true;
    lastReport = report;
    current = null;
    try {
      timer.schedule(this::start, pauses.nextNanos(threads::random), TimeUnit.NANOSECONDS);
      return Optional.empty();
    } catch (RejectedExecutionException e) {
      return Optional.of(nothingMore(report)); // the client was closed
    }
  }

  private TransferReport givenUp(TransferReport last) {
    return past.whole(last, reported, elapsed())
        .withFailure(
            new FdtException(
                ErrorCode.UNREACHABLE,
                "the server is gone and did not come back within %d s: %s"
                    .formatted(patience.toSeconds(), last.failureMessage())));
  }

  /** The last report again; its counts are already part of the past sessions. */
  private TransferReport nothingMore(TransferReport last) {
    TransferReport none =
        TransferReport.failed(
            new FdtException(last.failure().orElse(ErrorCode.CANCELLED), last.failureMessage()),
            elapsed());
    return past.whole(none, reported, elapsed());
  }

  private Duration elapsed() {
    return Duration.ofNanos(threads.nanoTime() - startNanos);
  }

  @Override
  public synchronized TransferProgress progress() {
    TransferProgress now = current == null ? TransferProgress.none(elapsed()) : current.progress();
    return past.whole(now, reported, elapsed());
  }

  @Override
  public CompletableFuture<TransferReport> completion() {
    return completion;
  }

  @Override
  public void cancel() {
    SessionOfTransfer running;
    synchronized (this) {
      cancelled = true;
      running = runs ? current : null;
    }
    if (running != null) {
      running.cancel();
    } else if (!completion.isDone()) {
      completion.complete(
          past.whole(TransferReport.failed(cancellation(), elapsed()), reported, elapsed()));
    }
  }

  private static FdtException cancellation() {
    return new FdtException(ErrorCode.CANCELLED, "cancelled by the client");
  }
}
