package io.fdt.client;

import io.fdt.core.model.BytePath;
import io.fdt.core.model.Checksum;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * The cost of checksums and of the journal: the time of a transfer of 32 files over loopback, from
 * memory to memory (/dev/shm where there is one), with client and server in one process.
 *
 * <p>A file of 4 MiB has a journal; one shorter by a byte has none. With NONE and no journal, only
 * frames have checksums.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class AssuranceBenchmark {
  private static final int FILES = 32;
  private static final int JOURNALED_BYTES = 4 << 20;

  /** The properties by which files are compared. */
  @Param({"NONE", "CRC32C", "XXH3", "BLAKE3", "SHA256"})
  public Checksum checksum;

  /** Whether the files have a journal while they grow. */
  @Param({"false", "true"})
  public boolean journal;

  private Path root;
  private FdtServer server;
  private FdtClient client;

  /** Writes the files and starts both ends. */
  @Setup
  public void start() throws Exception {
    Path memory = Path.of("/dev/shm");
    root =
        Files.isWritable(memory)
            ? Files.createTempDirectory(memory, "fdt-benchmark-")
            : Files.createTempDirectory("fdt-benchmark-");
    Path source = Files.createDirectory(root.resolve("source"));
    byte[] content = new byte[journal ? JOURNALED_BYTES : JOURNALED_BYTES - 1];
    new Random(1).nextBytes(content);
    for (int i = 0; i < FILES; i++) {
      Files.write(source.resolve("file" + i), content);
    }
    server =
        FdtServer.builder()
            .bind("127.0.0.1")
            .port(0)
            .export(Export.readOnly("data", source))
            .build();
    server.start();
    client = FdtClient.builder("127.0.0.1").port(server.address().getPort()).build();
  }

  /** Removes the files of the last transfer. */
  @Setup(Level.Invocation)
  public void removeCopy() throws IOException {
    remove(root.resolve("copy"));
  }

  /** Stops both ends and removes the files. */
  @TearDown
  public void stop() throws IOException {
    client.close();
    server.close();
    remove(root);
  }

  private static void remove(Path top) throws IOException {
    if (!Files.exists(top)) {
      return;
    }
    List<Path> all;
    try (Stream<Path> walk = Files.walk(top)) {
      all = walk.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : all) {
      Files.delete(path);
    }
  }

  /** One transfer. */
  @Benchmark
  public TransferReport transfer() throws Exception {
    TransferRequest request =
        TransferRequest.pull()
            .source("/data/")
            .destination(BytePath.of(root.resolve("copy")))
            .recursive(true)
            .checksum(checksum)
            .build();
    TransferReport report = client.start(request, TransferListener.NONE).await();
    if (report.figures().files().done() != FILES) {
      throw new IllegalStateException("not everything arrived: " + report);
    }
    return report;
  }
}
