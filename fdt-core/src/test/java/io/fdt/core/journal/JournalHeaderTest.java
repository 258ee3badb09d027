package io.fdt.core.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.model.FileCut;
import io.fdt.core.model.FileName;
import io.fdt.core.model.FileStamp;
import io.fdt.core.model.SourceVersion;
import io.fdt.core.model.Timestamp;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The first bytes of a journal: a header comes back whole or not at all. */
class JournalHeaderTest {
  private static final JournalHeader HEADER = header("name", 1L << 40, -5, 999_999_999);

  private static JournalHeader header(String name, long size, long seconds, int nanos) {
    FileStamp stamp = new FileStamp(0x1122334455L, new Timestamp(seconds + 7, 3), true);
    SourceVersion source = new SourceVersion(size, new Timestamp(seconds, nanos), stamp);
    return new JournalHeader(FileName.of(name), source, 0x0102030405060708L, -2);
  }

  @Test
  void bytesAreThoseOfTheFormat() {
    String expected =
        "4644544a524e4c0a 00000003 00000004 0000010000000000 fffffffffffffffb 3b9ac9ff 00000000"
            + " 0000001122334455 0102030405060708 fffffffffffffffe"
            + " 0000000000000002 00000003 00000002 6e616d65";
    byte[] bytes = bytes(HEADER);
    byte[] covered = Arrays.copyOf(bytes, bytes.length - 4);
    assertThat(HexFormat.of().formatHex(covered)).isEqualTo(expected.replace(" ", ""));
    CRC32C crc = new CRC32C();
    crc.update(covered);
    assertThat(ByteBuffer.wrap(bytes).getInt(covered.length)).isEqualTo((int) crc.getValue());
  }

  @Test
  void rangesAreInMebibytes() {
    SourceVersion source = new SourceVersion(5L << 20, new Timestamp(1, 2), 3);
    FileCut cut = new FileCut(5L << 20, 2 << 20);
    JournalHeader header = new JournalHeader(FileName.of("name"), source, 4, 5, Optional.of(cut));
    byte[] bytes = bytes(header);

    assertThat(ByteBuffer.wrap(bytes).getInt(36)).isEqualTo(2);
    assertThat(JournalHeader.decode(ByteBuffer.wrap(bytes))).contains(header);
    for (int wrong : new int[] {-1, Integer.MIN_VALUE}) {
      assertThat(JournalHeader.decode(withCut(bytes, wrong))).as("%d", wrong).isEmpty();
    }
  }

  /** More ranges than a file can have. */
  @Test
  void aCutThatCannotBeIsRefused() {
    byte[] bytes = bytes(header("name", Long.MAX_VALUE, 0, 0));
    assertThat(JournalHeader.decode(withCut(bytes, 1))).isEmpty();
    assertThat(JournalHeader.decode(withCut(bytes, Integer.MAX_VALUE))).isPresent();
    assertThat(JournalHeader.decode(withCut(bytes(header("name", 0, 0, 0)), 1))).isEmpty();
  }

  private static ByteBuffer withCut(byte[] header, int cut) {
    ByteBuffer changed = ByteBuffer.wrap(header.clone());
    changed.putInt(36, cut);
    CRC32C crc = new CRC32C();
    crc.update(changed.slice(0, header.length - 4));
    return changed.putInt(header.length - 4, (int) crc.getValue());
  }

  private static byte[] bytes(JournalHeader header) {
    ByteBuffer encoded = header.encode();
    assertThat(encoded.remaining()).isEqualTo(header.length());
    byte[] bytes = new byte[encoded.remaining()];
    encoded.get(bytes);
    return bytes;
  }

  @Test
  void headerComesBackWhateverStandsAroundIt() {
    for (int nameLength : new int[] {1, 2, FileName.MAX_LENGTH}) {
      JournalHeader header = header("n".repeat(nameLength), 0, 0, 0);
      byte[] bytes = bytes(header);
      assertThat(JournalHeader.decode(ByteBuffer.wrap(bytes))).contains(header);
      ByteBuffer middle = ByteBuffer.allocate(bytes.length + 10).position(3).put(bytes).position(3);
      assertThat(JournalHeader.decode(middle)).contains(header);
    }
    assertThat(header("n".repeat(FileName.MAX_LENGTH), 0, 0, 0).length())
        .isEqualTo(JournalHeader.MAX_LENGTH);
  }

  @Test
  void noPrefixIsAHeader() {
    byte[] bytes = bytes(HEADER);
    for (int length = 0; length < bytes.length; length++) {
      assertThat(JournalHeader.decode(ByteBuffer.wrap(bytes, 0, length)))
          .as("%d", length)
          .isEmpty();
    }
  }

  @Test
  void noFlippedBitIsOverlooked() {
    byte[] bytes = bytes(HEADER);
    for (int bit = 0; bit < bytes.length * 8; bit++) {
      byte[] flipped = bytes.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      assertThat(JournalHeader.decode(ByteBuffer.wrap(flipped))).as("bit %d", bit).isEmpty();
    }
  }

  /** With a right checksum, as a program with another opinion would write it. */
  @ParameterizedTest
  @CsvSource({
    "0, 4644544a524e4c0b", // another magic number
    "8, 00000001",
    "8, 00000002",
    "12, 00000000",
    "12, ffffffff",
    "12, 00000100",
    "16, ffffffffffffffff", // a size below zero
    "32, ffffffff",
    "32, 3b9aca00", // a second has no such nanosecond
    "80, 612f6265", // "a/be" is no name of a file
    "80, 61006265",
    "72, ffffffff",
    "72, 3b9aca00",
    "76, 00000003", // an age that no ctime has
    "76, ffffffff",
  })
  void impossibleFieldsAreNotTrusted(int at, String value) {
    byte[] bytes = bytes(HEADER);
    byte[] field = HexFormat.of().parseHex(value);
    System.arraycopy(field, 0, bytes, at, field.length);
    assertThat(JournalHeader.decode(withChecksum(bytes))).isEmpty();
  }

  private static ByteBuffer withChecksum(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, bytes.length - 4);
    return ByteBuffer.wrap(bytes).putInt(bytes.length - 4, (int) crc.getValue());
  }

  @Test
  void bordersOfFieldsAreTrusted() {
    assertThat(JournalHeader.decode(ByteBuffer.wrap(bytes(header("x", 0, Long.MIN_VALUE, 0)))))
        .isPresent();
    assertThat(JournalHeader.decode(ByteBuffer.wrap(bytes(header("x", Long.MAX_VALUE, 0, 1)))))
        .isPresent();
    assertThat(JournalHeader.decode(HEADER.encode())).contains(HEADER);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, Integer.MAX_VALUE})
  void journalOfAnotherVersionIsKnownAsOne(int version) {
    ByteBuffer bytes = ByteBuffer.wrap(bytes(HEADER)).putInt(8, version);
    assertThat(JournalHeader.isOfOtherVersion(bytes)).isTrue();
    assertThat(JournalHeader.isOfOtherVersion(bytes.slice(0, 12))).isTrue();
    assertThat(JournalHeader.isOfOtherVersion(bytes.slice(0, 11))).isFalse();
    ByteBuffer behind = ByteBuffer.allocate(15).position(3).put(bytes.slice(0, 12)).position(3);
    assertThat(JournalHeader.isOfOtherVersion(behind)).isTrue();
    assertThat(JournalHeader.isOfOtherVersion(bytes.put(0, (byte) 0))).isFalse();
  }

  /** As a loss of power may leave it. */
  @ParameterizedTest
  @ValueSource(ints = {0, -1})
  void journalThatLostItsVersionIsNoneOfAnother(int version) {
    ByteBuffer bytes = ByteBuffer.wrap(bytes(HEADER)).putInt(8, version);
    assertThat(JournalHeader.isOfOtherVersion(bytes)).isFalse();
    assertThat(JournalHeader.decode(bytes)).isEmpty();
  }

  @Test
  void journalOfThisVersionIsNoneOfAnother() {
    assertThat(JournalHeader.isOfOtherVersion(HEADER.encode())).isFalse();
  }
}
