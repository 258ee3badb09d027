package io.fdt.client;

import io.fdt.core.error.FdtException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** A running transfer. Any thread. */
public interface Transfer extends AutoCloseable {
  /** The progress now. */
  TransferProgress progress();

  /** Completes when the transfer ends; never exceptionally. */
  CompletableFuture<TransferReport> completion();

  /** Asks both ends to stop; {@link #completion} follows within a second or two. Idempotent. */
  void cancel();

  /**
   * Waits for the end.
   *
   * @throws FdtException when the transfer ended early; failed files are only in the report
   */
  default TransferReport await() throws FdtException, InterruptedException {
    try {
      TransferReport report = completion().get();
      if (report.failure().isPresent()) {
        throw new FdtException(report.failure().get(), report.failureMessage());
      }
      return report;
    } catch (ExecutionException e) {
      throw e.getCause() instanceof FdtException known
          ? known
          : FdtException.unforeseen("the transfer failed", e.getCause());
    }
  }

  /** Cancels the transfer if it still runs, and waits for its end. */
  @Override
  default void close() {
    cancel();
    completion().join();
  }
}
