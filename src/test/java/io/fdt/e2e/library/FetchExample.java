package io.fdt.e2e.library;

import io.fdt.client.AccessToken;
import io.fdt.client.FdtClient;
import io.fdt.client.ServerTrust;
import io.fdt.client.Transfer;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.TransferFigures;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Fetches a tree from a server: HOST PORT FINGERPRINT TOKEN-FILE SOURCE DESTINATION. */
public final class FetchExample {
  private static final int ATTEMPTS = 3;

  private FetchExample() {}

  public static void main(String[] arguments) throws Exception {
    System.exit(run(arguments));
  }

  static int run(String[] arguments) throws InterruptedException {
    TransferRequest request =
        TransferRequest.pull()
            .source(arguments[4])
            .destination(Path.of(arguments[5]))
            .recursive(true)
            .build();
    try (FdtClient client =
        FdtClient.builder(arguments[0])
            .port(Integer.parseInt(arguments[1]))
            .trust(ServerTrust.pinned(arguments[2]))
            .token(AccessToken.ofFile(Path.of(arguments[3])))
            .retryTimeout(Duration.ofMinutes(5))
            .build()) {
      TransferReport report = fetch(client, request);
      System.out.printf(
          "%d files arrived, %d failed%n",
          report.figures().files().done(), report.figures().files().failed());
      return report.exitStatus();
    } catch (FdtException e) {
      System.out.println(e.getMessage());
      return 1;
    }
  }

  /** Tries again where that may help: the same request continues what was interrupted. */
  private static TransferReport fetch(FdtClient client, TransferRequest request)
      throws FdtException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try (Transfer transfer =
          client.start(request, problem -> System.out.println(problem.message()))) {
        return await(transfer);
      } catch (FdtException e) {
        boolean isEnd = attempt == ATTEMPTS || e.code() == ErrorCode.CANCELLED;
        if (isEnd || e.code().retry() == ErrorCode.Retry.NO) {
          throw e;
        }
        System.out.println("trying again: " + e.getMessage());
        TimeUnit.SECONDS.sleep(attempt);
      }
    }
  }

  /** Prints progress each second. An interrupt of the thread cancels the transfer. */
  private static TransferReport await(Transfer transfer) throws FdtException, InterruptedException {
    ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    timer.scheduleAtFixedRate(() -> show(transfer.progress().figures()), 1, 1, TimeUnit.SECONDS);
    try {
      return transfer.await();
    } finally {
      timer.shutdownNow();
    }
  }

  private static void show(TransferFigures figures) {
    System.out.printf("%d of %d bytes%n", figures.bytesDone(), figures.bytesTotal());
  }
}
