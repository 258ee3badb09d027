package io.fdt.spark;

import io.fdt.client.Transfer;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.plan.work.Patience;
import io.fdt.plan.work.Transfers;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One attempt of Spark at one unit.
 *
 * <pre>
 *   the server is busy                         -> wait: it serves other executors
 *   the session failed, and may succeed later   -> the task fails: Spark tries elsewhere
 *   a file is in use                           -> wait: another attempt at the unit writes it
 *   a file failed, and may succeed later       -> again, three times in all
 *   otherwise                                  -> the result
 * </pre>
 *
 * <p>Two attempts at the same time are safe: a partial file has one writer at a time, and gets its
 * name when it is whole. The attempt that finds files in use must not end first, because Spark
 * would use its result and cancel the writing one. For one thread.
 */
final class UnitCopy {
  private static final int MAX_ATTEMPTS = 3;

  /** Time for a cancelled transfer to release its files. */
  private static final long END_SECONDS = 10;

  private final Transfers transfers;
  private final TransferRequest request;
  private final RowCollector rows;

  UnitCopy(Transfers transfers, TransferRequest request, RowCollector rows) {
    this.transfers = transfers;
    this.request = request;
    this.rows = rows;
  }

  /**
   * Copies a unit.
   *
   * @param attempt of Spark at the task, from 1
   * @throws FdtException another executor, or a later attempt, may succeed
   * @throws InterruptedException Spark ends this attempt; its transfer has ended
   */
  UnitResult run(int unit, int attempt) throws FdtException, InterruptedException {
    Patience patience = new Patience(System.nanoTime(), ThreadLocalRandom.current());
    int failed = 0;
    while (true) {
      rows.begin();
      TransferReport report = transfer();
      rows.end(report);
      boolean isBusy = report.failure().filter(code -> code == ErrorCode.BUSY).isPresent();
      boolean isWaiting = (isBusy || rows.isAnyInUse()) && !patience.isOver(System.nanoTime());
      if (report.failure().filter(UnitCopy::isForAnother).isPresent() && !(isBusy && isWaiting)) {
        throw new FdtException(report.failure().get(), report.failureMessage());
      }
      if (!isWaiting) {
        if (rows.isAnyInUse()) {
          throw new FdtException(ErrorCode.IN_USE, "another transfer writes files of it");
        }
        failed++;
        if (!rows.isAnyForLater() || failed == MAX_ATTEMPTS) {
          return rows.result(unit, attempt, node());
        }
      }
      TimeUnit.NANOSECONDS.sleep(patience.takePauseNanos());
    }
  }

  /** Whether the failure is of this executor or temporary. */
  private static boolean isForAnother(ErrorCode failure) {
    int status = failure.exitStatus();
    return failure.retry() == ErrorCode.Retry.LATER || status == 3 || status == 4;
  }

  private TransferReport transfer() throws FdtException, InterruptedException {
    Transfer transfer = transfers.start(request, rows);
    try {
      return transfer.completion().get();
    } catch (InterruptedException e) {
      transfer.cancel();
      awaitEnd(transfer);
      throw e;
    } catch (ExecutionException e) {
      throw FdtException.unforeseen("the transfer failed", e.getCause());
    }
  }

  private static void awaitEnd(Transfer transfer) {
    try {
      TransferReport unused = transfer.completion().get(END_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      return; // it was to end, and the client that it belongs to is closed later
    }
  }

  private static String node() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "unknown";
    }
  }
}
