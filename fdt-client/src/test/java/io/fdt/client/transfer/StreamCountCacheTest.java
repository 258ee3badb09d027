package io.fdt.client.transfer;

import static io.fdt.client.TransferRequest.Direction.PULL;
import static io.fdt.client.TransferRequest.Direction.PUSH;
import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.client.TransferRequest;
import io.fdt.core.tuning.Bottleneck;
import io.fdt.core.tuning.Observation;
import io.fdt.core.tuning.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A transfer starts with the number of streams that the previous one to the same server found. */
class StreamCountCacheTest {
  @TempDir private Path directory;

  private void keep(
      String server, TransferRequest.Direction direction, StreamCountCache.Seen seen) {
    StreamCountCache memory = memory();
    memory.keep(server, direction, seen);
    memory.awaitWritten();
  }

  private StreamCountCache memory() {
    return new StreamCountCache(directory.resolve("home"));
  }

  private static StreamCountCache.Seen seen(int seconds, int streams) {
    StreamCountCache.Seen seen = new StreamCountCache.Seen();
    add(seen, seconds, streams);
    return seen;
  }

  private static void add(StreamCountCache.Seen seen, int seconds, int streams) {
    for (int i = 0; i < seconds; i++) {
      Sample sample =
          new Sample(1, 1, streams, 1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, false, false);
      seen.add(new Observation(sample, Bottleneck.NETWORK, 2, "cubic", ""));
    }
  }

  @Test
  void eachServerAndDirectionHasItsOwn() {
    keep("a:1", PULL, seen(20, 7));
    keep("a:1", PUSH, seen(20, 9));
    keep("a:1", PULL, seen(20, 12));

    assertThat(memory().streams("a:1", PULL)).hasValue(12);
    assertThat(memory().streams("a:1", PUSH)).hasValue(9);
    assertThat(memory().streams("a:11", PULL)).isEmpty();
    assertThat(memory().streams("b:1", PULL)).isEmpty();
  }

  @Test
  void aShortTransferTeachesNothing() {
    keep("a:1", PULL, seen(9, 7));
    keep("b:1", PULL, seen(20, 0));
    assertThat(directory.resolve("home")).doesNotExist();
  }

  /** The last number may only have been a trial. */
  @Test
  void theNumberThatWasUsedForTheLongestTimeIsKept() {
    StreamCountCache.Seen seen = seen(5, 16);
    add(seen, 10, 8);
    add(seen, 6, 16);
    add(seen, 3, 9);
    keep("a:1", PULL, seen);
    assertThat(memory().streams("a:1", PULL)).hasValue(16);
    add(seen, 2, 8);
    keep("a:1", PULL, seen);
    assertThat(memory().streams("a:1", PULL)).hasValue(8);
  }

  @Test
  void theOldestAreForgotten() throws IOException {
    for (int i = 0; i <= 500; i++) {
      keep("host" + i + ":1", PULL, seen(10, 3));
    }
    assertThat(Files.readAllLines(directory.resolve("home/paths"))).hasSize(500);
    assertThat(memory().streams("host0:1", PULL)).isEmpty();
    assertThat(memory().streams("host1:1", PULL)).hasValue(3);
  }

  @Test
  void whatMakesNoSenseIsAsIfItWereNotThere() throws IOException {
    keep("a:1", PULL, seen(10, 3));
    Path file = directory.resolve("home/paths");
    for (String odd : List.of("a:1\tPULL\t0", "a:1\tPULL\t129", "a:1\tPULL\tx", "\u0000", "")) {
      Files.writeString(file, odd + "\n");
      assertThat(memory().streams("a:1", PULL)).as(odd).isEqualTo(OptionalInt.empty());
    }
    Files.delete(file);
    Files.createDirectory(file);
    assertThat(memory().streams("a:1", PULL)).isEmpty();
    keep("a:1", PULL, seen(10, 3)); // says nothing, breaks nothing
    assertThat(file).isDirectory();
  }
}
