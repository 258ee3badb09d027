package io.fdt.core.send;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.engine.DiskScheduler;
import io.fdt.core.engine.StreamSet;
import io.fdt.core.model.Tuning;
import io.fdt.core.tuning.Sample;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the searches of one transfer do to each other. */
class TransferTuningTest {
  private static final Duration LOCAL = Duration.ofMillis(1);

  private final StreamSet streams = new StreamSet();

  /** One second in which the source's disk, or else the network, limits. */
  private static Sample second(int count, boolean ofDisk, double lossShare) {
    return new Sample(
        1,
        50_000_000,
        count,
        35_000,
        Math.round(35_000 * lossShare),
        1_000,
        1_000,
        0,
        0,
        ofDisk ? 0.05 : 0.9,
        0,
        ofDisk ? 1 : 0.3,
        0.2,
        0.2,
        0.2,
        0.2,
        false,
        false);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 16, 17, 64})
  void anyNumberOfReadersCanBeTheStart(int threads) {
    try (DiskScheduler readers = new DiskScheduler("test", threads)) {
      TransferTuning tuning =
          new TransferTuning("test", new Tuning(true, 0, true, ""), 32, streams, readers, LOCAL);
      for (int i = 0; i < 60; i++) {
        tuning.act(second(4, true, 0));
        assertThat(readers.threadsPerDisk()).isBetween(1, Math.max(16, threads));
      }
    }
  }

  /** Until which second nothing else may be tried, after this change. */
  private static int end(String change, int second) {
    if (change.contains("to compare")) {
      return second + 3; // measured once more, and that is all
    }
    boolean isTrial =
        Stream.of("trying", "more may help", "than before").anyMatch(change::contains);
    return isTrial ? Integer.MAX_VALUE : second;
  }

  /** Streams and readers both have a reason to be more: never both in the same seconds. */
  @Test
  void onlyOneThingIsTriedAtATime() {
    try (DiskScheduler readers = new DiskScheduler("test", 2)) {
      TransferTuning tuning =
          new TransferTuning("test", new Tuning(true, 4, true, ""), 32, streams, readers, LOCAL);
      int changesOfReaders = 0;
      int endOfStreams = 0;
      int endOfReaders = 0;
      for (int i = 0; i < 900; i++) {
        String change = tuning.act(second(4, i % 40 >= 20, 0));
        assertThat(change).doesNotContain(";");
        if (change.contains("streams in place")) {
          assertThat(i).as(change).isGreaterThanOrEqualTo(endOfReaders);
          endOfStreams = end(change, i);
        } else if (change.contains("readers a disk")) {
          assertThat(i).as(change).isGreaterThanOrEqualTo(endOfStreams);
          endOfReaders = end(change, i);
          changesOfReaders++;
        }
      }
      assertThat(changesOfReaders).isPositive();
    }
  }

  /** What was measured with one congestion control says nothing of another one. */
  @Test
  void anotherCongestionControlIsMeasuredWithAsManyStreamsAsTheOneBefore() {
    try (DiskScheduler readers = new DiskScheduler("test", 2)) {
      TransferTuning tuning =
          new TransferTuning(
              "test", new Tuning(true, 4, true, "auto"), 32, streams, readers, LOCAL);
      boolean tries = false;
      int trials = 0;
      for (int i = 0; i < 300; i++) {
        String change = tuning.act(second(4, false, 1e-3));
        if (change.startsWith("congestion control")) {
          tries = !tries;
          trials++;
        } else if (tries) {
          assertThat(change).isEmpty();
        }
      }
      assertThat(trials).isBetween(2, 6);
    }
  }
}
