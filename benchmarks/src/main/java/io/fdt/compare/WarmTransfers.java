package io.fdt.compare;

import com.sun.management.OperatingSystemMXBean;
import io.fdt.client.FdtClient;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.model.BytePath;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Measures a transfer with compiled code: one process runs both ends through the library, copies a
 * tree several times and measures the last copy. It has the garbage collector of the command, and
 * Java's default compilers.
 */
final class WarmTransfers {
  /**
   * Transfers before the measured one: from the fifth on, their time no longer fell (2026-11-22).
   */
  private static final int BEFORE = 5;

  private WarmTransfers() {}

  /** Copies the contents of a directory in a new process. */
  static Cost move(Path source, Path destination, Path work, Tool.Ready ready)
      throws IOException, InterruptedException {
    List<String> command =
        MeasuredProcess.java(
            WarmTransfers.class, source.toString(), destination.toString(), work.toString());
    try (MeasuredProcess process =
        MeasuredProcess.startWithInput(
            work, Map.of("FDT_HOME", work.resolve("fdt-home").toString()), command)) {
      process.awaitOutput("WARM", MeasuredProcess.DEADLINE.multipliedBy(BEFORE));
      ready.run();
      process.endInput();
      Cost whole = process.end();
      String[] last = process.output().strip().replaceAll("(?s).*LAST ", "").split(" ", -1);
      return new Cost(
          Double.parseDouble(last[0]), Double.parseDouble(last[1]), whole.peakMegabytes());
    }
  }

  /** Arguments: source, destination, a directory for the warm-up copies. */
  public static void main(String[] arguments) throws Exception {
    Path source = Path.of(arguments[0]);
    Path destination = Path.of(arguments[1]);
    Path copy = Path.of(arguments[2]).resolve("before");
    try (FdtServer server =
        FdtServer.builder()
            .bind("127.0.0.1")
            .port(0)
            .export(Export.readOnly("x", source))
            .build()) {
      server.start();
      int port = server.address().getPort();
      for (int i = 0; i < BEFORE; i++) {
        pull(port, Files.createDirectory(copy));
        Trees.delete(copy);
      }
      System.out.println("WARM");
      System.in.readAllBytes();
      OperatingSystemMXBean process =
          (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
      long cpu = process.getProcessCpuTime();
      long wall = System.nanoTime();
      pull(port, destination);
      System.out.println(
          "LAST "
              + (System.nanoTime() - wall) / 1e9
              + " "
              + (process.getProcessCpuTime() - cpu) / 1e9);
    }
  }

  private static void pull(int port, Path destination) throws Exception {
    try (FdtClient client = FdtClient.builder("127.0.0.1").port(port).build()) {
      TransferRequest request =
          TransferRequest.pull()
              .source("/x/")
              .destination(BytePath.of(destination))
              .recursive(true)
              .build();
      TransferReport report = client.start(request, TransferListener.NONE).await();
      if (report.exitStatus() != 0) {
        throw new IOException("not everything arrived: " + report);
      }
    }
  }
}
