package io.fdt.core.journal;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.fdt.core.model.CheckedRange;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Arbitrary bytes in the place of a journal: what cannot be trusted is left out. */
class JournalFuzzTest {
  private static final long SIZE = 1L << 42;

  @FuzzTest
  void header(byte[] data) {
    ByteBuffer bytes = ByteBuffer.wrap(data);
    assertThat(JournalHeader.isOfOtherVersion(bytes) && JournalHeader.decode(bytes).isPresent())
        .isFalse();
    JournalHeader.decode(bytes)
        .ifPresent(
            header -> assertThat(header.encode()).isEqualTo(bytes.slice(0, header.length())));
  }

  @FuzzTest
  void records(byte[] data) {
    check(data);
  }

  /** The checksums are made right, so that what lies behind them is reached. */
  @FuzzTest
  void checkedRecords(byte[] data) {
    ByteBuffer bytes = ByteBuffer.wrap(data);
    int length = KeptRanges.RECORD_LENGTH;
    for (int at = 0; at + length <= data.length; at += length) {
      CRC32C crc = new CRC32C();
      crc.update(bytes.slice(at, length - 4));
      bytes.putInt(at + length - 4, (int) crc.getValue());
    }
    check(data);
  }

  private static void check(byte[] data) {
    long end = -1;
    for (CheckedRange range : KeptRanges.replay(ByteBuffer.wrap(data), SIZE).ranges()) {
      assertThat(range.start()).isGreaterThan(end);
      end = range.end();
    }
    assertThat(end).isLessThanOrEqualTo(SIZE);
  }
}
