package io.fdt.cli.run;

import io.fdt.client.Transfer;
import io.fdt.client.TransferProgress;
import io.fdt.client.TransferReport;
import io.fdt.core.error.ErrorCode;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** Waits for transfers, and cancels them. */
public final class TransferRun {
  /** The exit status after a signal, where the JVM does not set it itself. */
  public static final int INTERRUPTED = 130;

  /** The time to tell the peer of the cancellation. */
  private static final Duration FAREWELL = Duration.ofSeconds(3);

  private TransferRun() {}

  /** Whether the server requires a token. */
  public static boolean wantsToken(TransferReport report) {
    return report != null && report.failure().filter(ErrorCode.UNAUTHENTICATED::equals).isPresent();
  }

  /** Waits for the end, and passes on the progress once a period. */
  public static TransferReport await(
      Transfer transfer, Duration period, Consumer<TransferProgress> observer)
      throws InterruptedException {
    while (true) {
      try {
        return transfer.completion().get(period.toMillis(), TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        observer.accept(transfer.progress());
      } catch (ExecutionException e) {
        throw new IllegalStateException("a transfer ended without a report", e.getCause());
      }
    }
  }

  /** Cancels a transfer; returns its report, or empty after {@link #FAREWELL}. */
  public static Optional<TransferReport> cancel(Transfer transfer) {
    transfer.cancel();
    try {
      return Optional.of(transfer.completion().get(FAREWELL.toMillis(), TimeUnit.MILLISECONDS));
    } catch (TimeoutException | ExecutionException e) {
      return Optional.empty(); // the peer will find the connection closed
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }
}
