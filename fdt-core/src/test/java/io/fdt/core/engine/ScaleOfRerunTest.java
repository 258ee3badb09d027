package io.fdt.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.buffer.BlockAllocator;
import io.fdt.core.metrics.Progress;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.synthetic.SyntheticDestination;
import io.fdt.core.storage.synthetic.SyntheticSource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A rerun of many files that are all there: no byte moves, and memory does not grow with their
 * number. Both ends are in this process, so that its heap is the bound of both together; {@code
 * make scale} runs it with five million files and 512 MiB.
 */
class ScaleOfRerunTest {
  private static final int FILES = Integer.getInteger("fdt.scale.files", 200_000);
  private static final long SIZE = 1000;
  private static final int DEADLINE_MINUTES = 20;

  @Test
  @Timeout(value = DEADLINE_MINUTES, unit = TimeUnit.MINUTES)
  void everyFileIsComparedAndNoneMoves() throws Exception {
    TransferSpec spec =
        TransferSpec.builder().readersPerDisk(1).writersPerDisk(1).delete(true).build();
    SyntheticSource source = SyntheticSource.tree(FILES, SIZE, List.of());
    SyntheticDestination destination = SyntheticDestination.holding(SIZE);
    long start = System.nanoTime();
    try (TestTransfer transfer =
        new TestTransfer(true, spec, BlockAllocator.create(1), source, destination)) {
      transfer.dial(1);
      transfer.sender.ended.get(DEADLINE_MINUTES, TimeUnit.MINUTES);
      transfer.awaitGoodEnd();
      double seconds = (System.nanoTime() - start) / 1e9;
      Progress progress = transfer.receiver.session().progress();
      assertThat(progress.figures().files().unchanged()).isEqualTo(FILES);
      assertThat(transfer.sender.session().progress().figures().files().unchanged())
          .isEqualTo(FILES);
      assertThat(progress.figures().bytesDone()).isZero();
      assertThat(progress.figures().files().failed()).isZero();
      System.out.printf(
          "files=%d seconds=%.1f files_per_second=%.0f heap_limit_mib=%d %s%n",
          FILES,
          seconds,
          FILES / seconds,
          Runtime.getRuntime().maxMemory() >> 20,
          Files.readAllLines(Path.of("/proc/self/status")).stream()
              .filter(line -> line.startsWith("VmHWM"))
              .findFirst()
              .orElse(""));
    }
    assertThat(destination.bytesWritten()).isZero();
    assertThat(source.openReaders()).isZero();
  }
}
