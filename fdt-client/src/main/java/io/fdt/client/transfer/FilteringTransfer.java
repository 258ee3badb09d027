package io.fdt.client.transfer;

import io.fdt.client.DoneFile;
import io.fdt.client.FileProblem;
import io.fdt.client.FoundFile;
import io.fdt.client.TeeListener;
import io.fdt.client.Transfer;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferProgress;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.filter.FileResult;
import io.fdt.core.filter.FilteredTransfer;
import io.fdt.core.filter.Filters;
import io.fdt.core.filter.ResultSpool;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/**
 * A transfer between the filters of its client, which run before it connects and after it has
 * ended, on a thread of their own.
 */
public final class FilteringTransfer implements Transfer {
  private final String peer;
  private final Filters filters;
  private final TransferRequest request;
  private final TransferListener listener;
  private final BiFunction<TransferRequest, TransferListener, Transfer> starter;
  private final long startNanos = System.nanoTime();
  private final CompletableFuture<TransferReport> completion = new CompletableFuture<>();
  private Transfer inner;
  private boolean cancelled;

  /**
   * @param starter starts the transfer after the filters have agreed
   */
  public FilteringTransfer(
      String peer,
      Filters filters,
      TransferRequest request,
      TransferListener listener,
      BiFunction<TransferRequest, TransferListener, Transfer> starter) {
    this.peer = peer;
    this.filters = filters;
    this.request = request;
    this.listener = listener;
    this.starter = starter;
  }

  public void start() {
    Thread thread = new Thread(this::run, "fdt-filter");
    thread.setDaemon(true);
    try {
      thread.start();
    } catch (OutOfMemoryError e) { // no thread available
      completion.complete(
          TransferReport.failed(FdtException.unforeseen("cannot start", e), elapsed()));
    }
  }

  private void run() {
    TransferReport report;
    try {
      report = filtered();
    } catch (FdtException e) {
      report = TransferReport.failed(e, elapsed());
    } catch (RuntimeException | Error e) { // any failure of a filter must reach the waiting thread
      report =
          TransferReport.failed(
              new FdtException(ErrorCode.FILTER, "a filter failed: " + e, e), elapsed());
    }
    completion.complete(report);
  }

  private TransferReport filtered() throws FdtException {
    FilteredTransfer transfer =
        filters.before(
            new FilteredTransfer(
                request.direction() == TransferRequest.Direction.PUSH,
                peer,
                request.spec().sources(),
                request.spec().destination(),
                UnaryOperator.identity()));
    if (transfer.sources().isEmpty()) {
      throw new FdtException(ErrorCode.FILTER, "the filters left nothing to transfer");
    }
    TransferRequest agreed = request.with(transfer.sources(), transfer.destination());
    Optional<ResultSpool> spool = filters.spool();
    TransferListener withResults =
        spool.isEmpty() ? listener : new TeeListener(listener, new Results(spool.get()));
    Transfer begun;
    try {
      begun = begin(agreed, withResults);
    } catch (FdtException | RuntimeException e) {
      if (spool.isPresent()) {
        spool.get().discard();
      }
      throw e;
    }
    TransferReport report = begun.completion().join();
    if (spool.isPresent()) {
      FdtException failure =
          report
              .failure()
              .map(code -> new FdtException(code, report.failureMessage()))
              .orElse(null);
      try {
        filters.after(transfer, failure, spool.get());
      } catch (FdtException e) {
        return report.failure().isPresent() ? report : report.withFailure(e);
      }
    }
    return report;
  }

  private synchronized Transfer begin(TransferRequest agreed, TransferListener events)
      throws FdtException {
    if (cancelled) {
      throw new FdtException(ErrorCode.CANCELLED, "cancelled by the client");
    }
    inner = starter.apply(agreed, events);
    return inner;
  }

  private Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - startNanos);
  }

  private synchronized Optional<Transfer> inner() {
    return Optional.ofNullable(inner);
  }

  @Override
  public TransferProgress progress() {
    return inner().map(Transfer::progress).orElseGet(() -> TransferProgress.none(elapsed()));
  }

  @Override
  public CompletableFuture<TransferReport> completion() {
    return completion;
  }

  /** Waits for a running filter. */
  @Override
  public void cancel() {
    synchronized (this) {
      cancelled = true;
    }
    inner().ifPresent(Transfer::cancel);
  }

  /** Stores the outcomes of files for filters. */
  private record Results(ResultSpool spool) implements TransferListener {
    @Override
    public void fileDone(DoneFile file) {
      spool.add(FileResult.FileOutcome.DONE, file.path(), file.size(), file.digest(), "");
    }

    @Override
    public void fileUnchanged(FoundFile file) {
      spool.add(FileResult.FileOutcome.UNCHANGED, file.path(), file.size(), "", "");
    }

    @Override
    public void problem(FileProblem problem) {
      spool.add(
          problem.skipped() ? FileResult.FileOutcome.SKIPPED : FileResult.FileOutcome.FAILED,
          problem.path(),
          0,
          "",
          problem.message());
    }
  }
}
