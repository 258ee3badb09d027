package io.fdt.core.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.metrics.Progress;
import io.fdt.core.session.RandomDataset;
import io.fdt.core.session.RandomDataset.Item;
import io.fdt.core.spec.SessionDeadlines;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What either end says of the whole while files are on their way. */
class TotalsTest {
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void filesCountInTheTotalOfEitherEndFromWhenTheyAreKnown(long seed) {
    Random random = new Random(seed);
    RandomDataset dataset = RandomDataset.sound(random);
    while (dataset.items().stream().filter(Item::isFile).count() < 10) {
      dataset = RandomDataset.sound(random);
    }
    long files = dataset.items().stream().filter(Item::isFile).count();
    SimulatedTransfer transfer =
        new SimulatedTransfer(
            random, dataset, new SimulatedDestination(dataset, random), SessionDeadlines.DEFAULT);
    transfer.start();
    long undoneAtReceiver = 0;
    long undoneAtSender = 0;
    Set<Long> finalBytes = new HashSet<>();
    while (!transfer.isFinished() && transfer.time.step()) {
      Progress atReceiver = transfer.receiver.path.progress();
      Progress atSender = transfer.sender.path.progress();
      undoneAtReceiver =
          Math.max(
              undoneAtReceiver,
              atReceiver.figures().files().total() - atReceiver.figures().files().done());
      undoneAtSender =
          Math.max(
              undoneAtSender,
              atSender.figures().files().total() - atSender.figures().files().done());
      for (Progress progress : new Progress[] {atReceiver, atSender}) {
        if (progress.figures().totalsAreFinal()) {
          assertThat(progress.figures().files().total()).isEqualTo(files);
          finalBytes.add(progress.figures().bytesTotal());
        }
      }
    }
    assertThat(finalBytes).containsExactly(transfer.receiver.path.progress().figures().bytesDone());
    assertThat(undoneAtReceiver).as("known at the receiver before they were done").isPositive();
    assertThat(undoneAtSender).as("known at the sender before they were done").isPositive();
    assertThat(transfer.receiver.path.progress().figures().files().total()).isEqualTo(files);
    assertThat(transfer.sender.path.progress().figures().files().total()).isEqualTo(files);
  }
}
