package io.fdt.e2e.library;

import io.fdt.client.FdtClient;
import io.fdt.client.Transfer;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.unit.ByteSize;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import java.nio.file.Path;
import java.time.Duration;

/** Serves one directory and fetches it into another one, all in one program. */
public final class LibraryExample {
  private LibraryExample() {}

  public static void main(String[] arguments) throws Exception {
    Path source = Path.of(arguments[0]);
    Path destination = Path.of(arguments[1]);
    try (FdtServer server =
        FdtServer.builder()
            .bind("127.0.0.1") // without it: all addresses of this machine
            .port(0)
            .export(Export.readOnly("data", source))
            .build()) {
      server.start();
      int port = server.address().getPort();
      try (FdtClient client =
          FdtClient.builder("127.0.0.1").port(port).idleTimeout(Duration.ofSeconds(10)).build()) {
        TransferRequest request =
            TransferRequest.pull()
                .source("/data")
                .destination(destination)
                .recursive(true)
                .streams(7)
                .blockSize(ByteSize.ofBytes(1 << 20))
                .build();
        Transfer transfer = client.start(request, problem -> System.err.println(problem.message()));
        TransferReport report = transfer.await();
        System.out.printf(
            "%d files, %d bytes in %d ms%n",
            report.figures().files().done(),
            report.figures().bytesDone(),
            report.elapsed().toMillis());
      }
    }
  }
}
