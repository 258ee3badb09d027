package io.fdt.core.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PackTest {
  @Test
  void goldenBytes() {
    ByteBuf buf = Unpooled.buffer();
    append(buf, 7, "123456789");
    assertThat(ByteBufUtil.hexDump(buf))
        .isEqualTo("0000000000000007" + "00000009" + "e3069283" + "313233343536373839");
  }

  @Test
  void filesComeOutAsTheyWentInEmptyOnesToo() throws FdtException {
    ByteBuf buf = Unpooled.directBuffer().writeZero(5).skipBytes(5);
    append(buf, 1, "first");
    append(buf, Long.MAX_VALUE, "");
    append(buf, 3, "third");

    List<PackRecord> records = Pack.read(buf, 3);

    assertThat(records).extracting(PackRecord::fileId).containsExactly(1L, Long.MAX_VALUE, 3L);
    assertThat(records)
        .extracting(record -> record.slice(buf).toString(StandardCharsets.UTF_8))
        .containsExactly("first", "", "third");
    assertThat(records).allMatch(record -> isIntact(record, buf));
    assertThat(buf.readerIndex()).isEqualTo(5);
    assertThat(buf.refCnt()).isEqualTo(1);
    buf.release();
  }

  @Test
  void finishReturnsWhatReadWillFind() throws FdtException {
    ByteBuf buf = Unpooled.buffer();
    PackRecord written = append(buf, 12, "some bytes");
    assertThat(Pack.read(buf, 1)).containsExactly(written);
    assertThat(written.crc())
        .isEqualTo(Crc32c.of(Unpooled.copiedBuffer("some bytes", StandardCharsets.UTF_8), 0, 10));
  }

  @Test
  void anAbandonedRecordLeavesNoTrace() throws FdtException {
    ByteBuf buf = Unpooled.buffer();
    append(buf, 1, "kept");
    int start = Pack.begin(buf);
    buf.writeBytes(new byte[100]);
    Pack.abandon(buf, start);
    append(buf, 3, "next");
    assertThat(Pack.read(buf, 2)).extracting(PackRecord::fileId).containsExactly(1L, 3L);
  }

  @Test
  void aRecordStaysRightWhenTheBufferMovesWhileItGrows() throws FdtException {
    ByteBuf buf = Unpooled.buffer(16, 1 << 20);
    int start = Pack.begin(buf);
    buf.writeBytes(new byte[100_000]);
    Pack.finish(buf, start, 1);
    assertThat(Pack.read(buf, 1).get(0).size()).isEqualTo(100_000);
  }

  @Test
  void aDamagedFileIsNoticed() throws FdtException {
    ByteBuf buf = Unpooled.buffer();
    append(buf, 1, "first");
    append(buf, 2, "second");
    buf.setByte(buf.writerIndex() - 1, 'D');
    List<PackRecord> records = Pack.read(buf, 2);
    assertThat(isIntact(records.get(0), buf)).isTrue();
    assertThat(isIntact(records.get(1), buf)).isFalse();
  }

  @Test
  void everyTruncationIsRefused() {
    ByteBuf buf = Unpooled.buffer();
    append(buf, 1, "first");
    append(buf, 2, "second");
    for (int length = 0; length < buf.readableBytes(); length++) {
      violationOf(buf.slice(0, length), 2);
    }
  }

  @Test
  void countsAndLengthsThatDoNotAddUpAreRefused() {
    ByteBuf buf = Unpooled.buffer();
    append(buf, 1, "first");
    assertThat(violationOf(buf, 0)).isEqualTo("pack with 21 bytes after its records");
    assertThat(violationOf(buf, 2)).isEqualTo("pack of 2 records in 21 bytes");
    assertThat(violationOf(buf, -1)).contains("-1 records");
    assertThat(violationOf(buf, Long.MAX_VALUE)).contains("pack of 9223372036854775807 records");
    buf.setInt(8, 6);
    assertThat(violationOf(buf, 1)).isEqualTo("pack with a file of 6 bytes where 5 are left");
    buf.setInt(8, 4);
    assertThat(violationOf(buf, 1)).isEqualTo("pack with 1 bytes after its records");
    buf.setInt(8, -1);
    assertThat(violationOf(buf, 1)).contains("4294967295 bytes");
    buf.setInt(8, 5);
    buf.setLong(0, -1);
    assertThat(violationOf(buf, 1)).contains("file=18446744073709551615");
  }

  @Test
  void anEmptyPackHasNoRecords() throws FdtException {
    assertThat(Pack.read(Unpooled.EMPTY_BUFFER, 0)).isEmpty();
    assertThat(violationOf(Unpooled.EMPTY_BUFFER, 1)).isEqualTo("pack of 1 records in 0 bytes");
  }

  @Test
  void randomBytesNeverCauseAnythingButAViolation() {
    long seed = 4711;
    Random random = new Random(seed);
    int refused = 0;
    for (int round = 0; round < 20_000; round++) {
      ByteBuf buf = Unpooled.buffer();
      for (int i = random.nextInt(3); i >= 0; i--) {
        append(buf, random.nextInt(9), "x".repeat(random.nextInt(20)));
      }
      int index = random.nextInt(buf.readableBytes());
      buf.setByte(index, random.nextInt(256));
      buf.writerIndex(random.nextInt(buf.writerIndex() + 1));
      try {
        for (PackRecord record : Pack.read(buf, random.nextInt(4))) {
          assertThat(record.slice(buf).readableBytes()).isEqualTo(record.size());
        }
      } catch (FdtException e) {
        assertThat(e.code()).as("seed %d round %d", seed, round).isEqualTo(ErrorCode.PROTOCOL);
        refused++;
      }
    }
    assertThat(refused).isBetween(10_000, 19_999);
  }

  @Test
  void negativeIdsCannotBePacked() {
    ByteBuf buf = Unpooled.buffer();
    int start = Pack.begin(buf);
    assertThatThrownBy(() -> Pack.finish(buf, start, -1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static PackRecord append(ByteBuf buf, long fileId, String content) {
    int start = Pack.begin(buf);
    buf.writeCharSequence(content, StandardCharsets.UTF_8);
    return Pack.finish(buf, start, fileId);
  }

  private static String violationOf(ByteBuf payload, long records) {
    FdtException e = catchThrowableOfType(FdtException.class, () -> Pack.read(payload, records));
    assertThat(e).isNotNull();
    assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL);
    return e.getMessage();
  }

  /** Whether the bytes of a file are what the sender said. */
  static boolean isIntact(PackRecord record, ByteBuf payload) {
    return Crc32c.of(payload, record.index(), record.size()) == record.crc();
  }
}
