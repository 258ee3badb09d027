package io.fdt.core.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.model.CheckedRange;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The ranges that a restart trusts, and their records in a journal. */
class KeptRangesTest {
  private static final byte[] FILE = new byte[100];

  static {
    new Random(1).nextBytes(FILE);
  }

  private final KeptRanges kept = new KeptRanges();

  /** A range with the checksum of its bytes. */
  private static CheckedRange range(int start, int end) {
    return new CheckedRange(start, end, crc(FILE, start, end));
  }

  private static int crc(byte[] bytes, int start, int end) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, start, end - start);
    return (int) crc.getValue();
  }

  @Test
  void neighboursInAnyOrderBecomeOneRangeWithItsChecksum() {
    List<CheckedRange> blocks = new ArrayList<>();
    for (int start = 0; start < 100; start += 20) {
      blocks.add(range(start, start + 20));
    }
    List<List<CheckedRange>> orders = new ArrayList<>(List.of(blocks));
    List<CheckedRange> reversed = new ArrayList<>(blocks);
    Collections.reverse(reversed);
    orders.add(reversed);
    // The last one has a neighbour on both sides.
    orders.add(List.of(blocks.get(0), blocks.get(1), blocks.get(4), blocks.get(3), blocks.get(2)));
    for (List<CheckedRange> order : orders) {
      KeptRanges ranges = new KeptRanges();
      assertThat(ranges.isEmpty()).isTrue();
      order.forEach(block -> assertThat(ranges.add(block)).isTrue());
      assertThat(ranges.isEmpty()).isFalse();
      assertThat(ranges.ranges()).containsExactly(range(0, 100));
      assertThat(ranges.count()).isEqualTo(1);
    }
  }

  @Test
  void rangesThatDoNotTouchStayApart() {
    assertThat(kept.add(range(50, 60))).isTrue();
    assertThat(kept.add(range(10, 20))).isTrue();
    assertThat(kept.add(range(21, 49))).isTrue();
    assertThat(kept.ranges()).containsExactly(range(10, 20), range(21, 49), range(50, 60));
    assertThat(kept.count()).isEqualTo(3);
  }

  @ParameterizedTest
  @CsvSource({"20, 30", "20, 21", "29, 30", "19, 21", "29, 31", "10, 40", "20, 40", "10, 30"})
  void rangeThatOverlapsIsLeftOut(int start, int end) {
    kept.add(range(20, 30));
    assertThat(kept.add(range(start, end))).isFalse();
    assertThat(kept.ranges()).containsExactly(range(20, 30));
  }

  @ParameterizedTest
  @CsvSource({
    "20, 30, true", "21, 29, true", "20, 21, true", "29, 30, true", "19, 30, false",
    "20, 31, false", "10, 20, false", "30, 40, false", "10, 40, false", "0, 100, false",
  })
  void rangeIsCoveredIfAllOfItIsKept(int start, int end, boolean expected) {
    kept.add(range(20, 30));
    assertThat(kept.covers(range(start, end))).isEqualTo(expected);
  }

  @Test
  void recordHoldsStartEndAndChecksums() {
    ByteBuffer record = KeptRanges.record(new CheckedRange(1L << 40, 3L << 40, 0x12345678));
    assertThat(record.remaining()).isEqualTo(KeptRanges.RECORD_LENGTH);
    assertThat(record.getLong(0)).isEqualTo(1L << 40);
    assertThat(record.getLong(8)).isEqualTo(3L << 40);
    assertThat(record.getInt(16)).isEqualTo(0x12345678);
    byte[] covered = new byte[20];
    record.get(0, covered);
    assertThat(record.getInt(20)).isEqualTo(crc(covered, 0, 20));
  }

  /** Three records behind a header, of which nothing is read. */
  private static ByteBuffer journal() {
    ByteBuffer journal = ByteBuffer.allocate(5 + 3 * KeptRanges.RECORD_LENGTH).position(5);
    for (CheckedRange range : List.of(range(0, 10), range(50, 100), range(10, 20))) {
      journal.put(KeptRanges.record(range));
    }
    return journal.position(5);
  }

  @Test
  void everyRecordIsReplayed() {
    ByteBuffer journal = journal();
    assertThat(KeptRanges.replay(journal, 100).ranges())
        .containsExactly(range(0, 20), range(50, 100));
    assertThat(journal.position()).isEqualTo(5);
  }

  @Test
  void recordThatIsTornIsNotReplayed() {
    ByteBuffer journal = journal();
    int whole = journal.limit();
    for (int length = 5; length <= whole; length++) {
      int records = (length - 5) / KeptRanges.RECORD_LENGTH;
      assertThat(KeptRanges.replay(journal.limit(length), 100).ranges())
          .as("%d bytes", length)
          .containsExactlyElementsOf(afterRecords(records));
    }
  }

  private static List<CheckedRange> afterRecords(int count) {
    return List.of(
            List.<CheckedRange>of(),
            List.of(range(0, 10)),
            List.of(range(0, 10), range(50, 100)),
            List.of(range(0, 20), range(50, 100)))
        .get(count);
  }

  @Test
  void nothingIsReplayedFromADamagedRecordOn() {
    for (int bit = 5 * 8; bit < journal().limit() * 8; bit++) {
      ByteBuffer journal = journal();
      journal.put(bit / 8, (byte) (journal.get(bit / 8) ^ 1 << bit % 8));
      assertThat(KeptRanges.replay(journal, 100).ranges())
          .as("bit %d", bit)
          .containsExactlyElementsOf(afterRecords((bit / 8 - 5) / KeptRanges.RECORD_LENGTH));
    }
  }

  /** With a right checksum. */
  @ParameterizedTest
  @CsvSource({"-1, 5", "5, 5", "6, 5", "90, 101", "101, 102"})
  void nothingIsReplayedFromAnImpossibleRecordOn(long start, long end) {
    ByteBuffer journal = ByteBuffer.allocate(3 * KeptRanges.RECORD_LENGTH);
    ByteBuffer impossible = ByteBuffer.allocate(KeptRanges.RECORD_LENGTH);
    impossible.putLong(start).putLong(end).putInt(0);
    impossible.putInt(crc(impossible.array(), 0, 20)).flip();
    journal.put(KeptRanges.record(range(0, 4))).put(impossible);
    journal.put(KeptRanges.record(range(10, 20))).flip();
    assertThat(KeptRanges.replay(journal, 100).ranges()).containsExactly(range(0, 4));
  }

  @Test
  void rangeThatStartsWhereTheFileDoesAndEndsWhereItEndsIsReplayed() {
    ByteBuffer journal = KeptRanges.record(range(0, 100));
    assertThat(KeptRanges.replay(journal, 100).ranges()).containsExactly(range(0, 100));
  }
}
