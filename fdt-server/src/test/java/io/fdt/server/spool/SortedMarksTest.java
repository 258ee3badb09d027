package io.fdt.server.spool;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SortedMarksTest {
  @TempDir Path directory;

  private SortedMarks open(int atOnce, long... marks) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(marks.length * Long.BYTES + 3);
    bytes.asLongBuffer().put(marks);
    Path file = Files.write(directory.resolve("marks"), bytes.array());
    return SortedMarks.open(file, directory.resolve("scratch"), atOnce);
  }

  @Test
  void moreMarksThanFitIntoMemoryAreSortedInParts() throws Exception {
    long[] marks = new Random(1).longs(20_000).toArray();
    marks[7] = Long.MIN_VALUE;
    marks[8] = Long.MAX_VALUE;

    SortedMarks sorted = open(1000, marks);

    for (long mark : marks) {
      assertThat(sorted.has(mark)).isTrue();
    }
    assertThat(new Random(2).longs(1000).filter(mark -> has(sorted, mark))).isEmpty();
    ByteBuffer written = ByteBuffer.wrap(Files.readAllBytes(directory.resolve("marks")));
    assertThat(LongStream.generate(written::getLong).limit(marks.length))
        .isSorted()
        .hasSize(marks.length);
    assertThat(directory.resolve("scratch")).doesNotExist();
  }

  @Test
  void equalMarksAndNoneAtAllAreFound() throws Exception {
    SortedMarks equal = open(10, LongStream.generate(() -> 5).limit(2000).toArray());
    assertThat(equal.has(5)).isTrue();
    assertThat(equal.has(4)).isFalse();
    assertThat(equal.has(6)).isFalse();
    assertThat(open(10).has(0)).isFalse();
  }

  private static boolean has(SortedMarks marks, long mark) {
    try {
      return marks.has(mark);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
