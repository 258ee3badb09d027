package io.fdt.compare;

import io.fdt.client.FdtClient;
import io.fdt.client.NettestRequest;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.unit.ByteSize;
import io.fdt.server.FdtServer;
import java.time.Duration;

/** The payload rate of one transfer from memory to memory over loopback. */
final class TransferRate {
  private static final int STREAMS = 4;
  private static final int BLOCK = 1 << 20;

  private TransferRate() {}

  /**
   * Measures once.
   *
   * @return bytes per second
   */
  static double measure(FdtServer server, boolean encrypted, Duration duration) throws Exception {
    try (FdtClient client =
        FdtClient.builder("127.0.0.1")
            .port(server.address().getPort())
            .encryptData(encrypted)
            .build()) {
      TransferReport report =
          client
              .start(
                  new NettestRequest(
                      TransferRequest.Direction.PULL,
                      STREAMS,
                      duration,
                      ByteSize.ofBytes(BLOCK),
                      ByteSize.ofBytes(0)))
              .completion()
              .get();
      if (report.exitStatus() != 0) {
        throw new IllegalStateException(report.failureMessage());
      }
      return report.figures().bytesDone() / (report.elapsed().toNanos() / 1e9);
    }
  }
}
