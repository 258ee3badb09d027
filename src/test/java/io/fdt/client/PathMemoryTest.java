package io.fdt.client;

import static io.fdt.client.TransferRequest.Direction.PULL;
import static io.fdt.client.TransferRequest.Direction.PUSH;
import static org.assertj.core.api.Assertions.assertThat;

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

/** What a transfer has found out is what the next one to the same server begins with. */
class PathMemoryTest {
  @TempDir private Path directory;

  private PathMemory memory() {
    return new PathMemory(directory.resolve("home"));
  }

  private static PathMemory.Seen seen(int seconds, int streams) {
    PathMemory.Seen seen = new PathMemory.Seen();
    for (int i = 0; i < seconds; i++) {
      Sample sample = new Sample(1, 1, streams, 1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, false);
      seen.add(new Observation(sample, Bottleneck.NETWORK, 2, "cubic", ""));
    }
    return seen;
  }

  @Test
  void eachServerAndDirectionHasItsOwn() {
    memory().keep("a:1", PULL, seen(20, 7));
    memory().keep("a:1", PUSH, seen(20, 9));
    memory().keep("a:1", PULL, seen(20, 12));

    assertThat(memory().streams("a:1", PULL)).hasValue(12);
    assertThat(memory().streams("a:1", PUSH)).hasValue(9);
    assertThat(memory().streams("a:11", PULL)).isEmpty();
    assertThat(memory().streams("b:1", PULL)).isEmpty();
  }

  @Test
  void aShortTransferTeachesNothing() {
    memory().keep("a:1", PULL, seen(9, 7));
    memory().keep("b:1", PULL, seen(20, 0));
    assertThat(directory.resolve("home")).doesNotExist();
  }

  @Test
  void theOldestAreForgotten() throws IOException {
    for (int i = 0; i <= 500; i++) {
      memory().keep("host" + i + ":1", PULL, seen(10, 3));
    }
    assertThat(Files.readAllLines(directory.resolve("home/paths"))).hasSize(500);
    assertThat(memory().streams("host0:1", PULL)).isEmpty();
    assertThat(memory().streams("host1:1", PULL)).hasValue(3);
  }

  @Test
  void whatMakesNoSenseIsAsIfItWereNotThere() throws IOException {
    memory().keep("a:1", PULL, seen(10, 3));
    Path file = directory.resolve("home/paths");
    for (String odd : List.of("a:1\tPULL\t0", "a:1\tPULL\t129", "a:1\tPULL\tx", "\u0000", "")) {
      Files.writeString(file, odd + "\n");
      assertThat(memory().streams("a:1", PULL)).as(odd).isEqualTo(OptionalInt.empty());
    }
    Files.delete(file);
    Files.createDirectory(file);
    assertThat(memory().streams("a:1", PULL)).isEmpty();
    memory().keep("a:1", PULL, seen(10, 3)); // says nothing, breaks nothing
    assertThat(file).isDirectory();
  }
}
