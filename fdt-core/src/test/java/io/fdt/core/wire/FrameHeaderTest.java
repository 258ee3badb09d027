package io.fdt.core.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class FrameHeaderTest {
  private static final int MAX_PAYLOAD = 1 << 20;
  private static final FrameHeader BLOCK =
      FrameHeader.block(5, 0x0102030405060708L, 0x1112131415161718L, 1 << 20, 0xE3069283);

  /** Checksums computed bit by bit in another language. */
  @Test
  void goldenBytes() {
    assertThat(hexOf(BLOCK))
        .isEqualTo(
            "0100000000100000"
                + "0000000000000005"
                + "0102030405060708"
                + "1112131415161718"
                + "00100000e30692838a5c72b6");
    assertThat(hexOf(BLOCK.encoded(7, 300)))
        .isEqualTo(
            "010700000000012c"
                + "0000000000000005"
                + "0102030405060708"
                + "1112131415161718"
                + "00100000e3069283d0885763");
    assertThat(hexOf(FrameHeader.pack(0, 2, 48, 0xDEADBEEF)))
        .isEqualTo(
            "0200000000000030"
                + "0000000000000000"
                + "0000000000000002"
                + "0000000000000000"
                + "00000030deadbeefa276edb7");
    assertThat(hexOf(FrameHeader.idle(9)))
        .isEqualTo(
            "0300000000000000"
                + "0000000000000009"
                + "0000000000000000"
                + "0000000000000000"
                + "0000000000000000608d1fd5");
  }

  @Test
  void whatIsWrittenIsReadAndNothingMore() throws FdtException {
    for (FrameHeader header :
        new FrameHeader[] {
          BLOCK,
          FrameHeader.block(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE - 7, 7, -1),
          FrameHeader.block(0, 0, 0, 0, 0),
          FrameHeader.pack(1, 3, 99, 4),
          FrameHeader.pack(1, 3, 99, 4).encoded(255, 100),
          BLOCK.encoded(1, 0),
          FrameHeader.idle(2)
        }) {
      ByteBuf buf = bytesOf(header).writeByte(1);
      assertThat(FrameHeader.read(buf, MAX_PAYLOAD)).isEqualTo(header);
      assertThat(buf.readableBytes()).isEqualTo(1);
    }
  }

  @Test
  void writeAtFillsReservedRoomAndKeepsIndices() throws FdtException {
    ByteBuf buf = Unpooled.directBuffer().writeZero(3 + FrameHeader.LENGTH + 3);
    BLOCK.writeAt(buf, 3);
    assertThat(buf.readerIndex()).isZero();
    assertThat(buf.writerIndex()).isEqualTo(3 + FrameHeader.LENGTH + 3);
    assertThat(FrameHeader.read(buf.skipBytes(3), MAX_PAYLOAD)).isEqualTo(BLOCK);
    assertThat(buf.readableBytes()).isEqualTo(3);
    buf.release();
  }

  @Test
  void everySingleBitFlipIsRejected() {
    int flips = 0;
    for (int bit = 0; bit < FrameHeader.LENGTH * 8; bit++) {
      ByteBuf buf = bytesOf(BLOCK);
      buf.setByte(bit / 8, buf.getByte(bit / 8) ^ (1 << bit % 8));
      assertThat(violationOf(buf)).as("bit %d", bit).startsWith("frame header damaged");
      flips++;
    }
    assertThat(flips).isEqualTo(352);
  }

  @Test
  void everyPrefixNeedsMoreBytes() {
    ByteBuf whole = bytesOf(BLOCK);
    for (int length = 0; length < FrameHeader.LENGTH; length++) {
      ByteBuf prefix = whole.slice(0, length);
      assertThatThrownBy(() -> FrameHeader.read(prefix, MAX_PAYLOAD))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThat(prefix.readableBytes()).isEqualTo(length);
    }
  }

  @Test
  void rulesHoldEvenWhenTheChecksumIsRight() {
    assertThat(forged(BLOCK, b -> b.setByte(0, 0))).isEqualTo("unknown type of frame: 0");
    assertThat(forged(BLOCK, b -> b.setByte(0, 4))).isEqualTo("unknown type of frame: 4");
    assertThat(forged(BLOCK, b -> b.setByte(0, 255))).isEqualTo("unknown type of frame: 255");
    assertThat(forged(BLOCK, b -> b.setShort(2, 0x8000))).contains("reserved=32768");
    assertThat(forged(BLOCK, b -> b.setInt(4, 17))).isEqualTo("plain frame of 1048576 bytes in 17");
    assertThat(forged(BLOCK, b -> b.setInt(32, MAX_PAYLOAD + 1)))
        .isEqualTo("frame of 1048577 bytes, at most 1048576 were agreed");
    assertThat(forged(BLOCK.encoded(1, 9), b -> b.setInt(4, MAX_PAYLOAD + 1)))
        .isEqualTo("frame of 1048577 bytes, at most 1048576 were agreed");
    assertThat(forged(BLOCK, b -> b.setInt(4, MAX_PAYLOAD + 1)))
        .isEqualTo("frame of 1048577 bytes, at most 1048576 were agreed");
    assertThat(forged(BLOCK, b -> b.setInt(4, -1))).contains("frame of 4294967295 bytes");
    assertThat(forged(BLOCK, b -> b.setInt(4, Integer.MIN_VALUE))).contains("2147483648 bytes");
    assertThat(forged(BLOCK, b -> b.setLong(8, -1))).contains("number=18446744073709551615");
    assertThat(forged(BLOCK, b -> b.setLong(16, Long.MIN_VALUE)))
        .contains("file=9223372036854775808");
    assertThat(forged(BLOCK, b -> b.setLong(24, -2))).contains("offset=18446744073709551614");
  }

  @Test
  void aBlockThatEndsBeyondTheLargestFileIsRejected() {
    assertThat(forged(BLOCK, b -> b.setLong(24, Long.MAX_VALUE - MAX_PAYLOAD + 1)))
        .contains("out of range");
    assertThat(FrameHeader.block(0, 1, Long.MAX_VALUE - 7, 7, 0).offset() + 7)
        .isEqualTo(Long.MAX_VALUE);
    assertThatThrownBy(() -> FrameHeader.block(0, 1, Long.MAX_VALUE - 6, 7, 0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void fieldsThatATypeDoesNotUseMustBeZero() {
    FrameHeader idle = FrameHeader.idle(3);
    assertThat(forged(FrameHeader.pack(0, 1, 16, 0), b -> b.setLong(24, 1)))
        .isEqualTo("PACK frame with offset=1");
    assertThat(forged(idle, b -> b.setLong(24, 1))).isEqualTo("IDLE frame with offset=1");
    assertThat(forged(idle, b -> b.setLong(16, 1))).contains("IDLE frame with content");
    assertThat(forged(idle, b -> b.setByte(1, 1))).contains("IDLE frame with content");
    assertThat(forged(idle, b -> b.setLong(32, 1))).contains("IDLE frame with content");
  }

  @Test
  void theLimitOfPayloadsIsInclusive() throws FdtException {
    assertThat(FrameHeader.read(bytesOf(BLOCK), 1 << 20)).isEqualTo(BLOCK);
    assertThatThrownBy(() -> FrameHeader.read(bytesOf(BLOCK), (1 << 20) - 1))
        .isInstanceOf(FdtException.class)
        .hasMessageContaining("at most 1048575");
  }

  @Test
  void negativeValuesCannotBeSent() {
    assertThatThrownBy(() -> FrameHeader.block(-1, 0, 0, 0, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> FrameHeader.block(0, -1, 0, 0, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> FrameHeader.block(0, 0, -1, 0, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> FrameHeader.block(0, 0, 0, -1, 0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** The complaint about a header that was changed and then given a right checksum. */
  private static String forged(FrameHeader header, Consumer<ByteBuf> change) {
    ByteBuf buf = bytesOf(header);
    change.accept(buf);
    buf.setInt(FrameHeader.LENGTH - 4, Crc32c.of(buf, 0, FrameHeader.LENGTH - 4));
    return violationOf(buf);
  }

  private static String violationOf(ByteBuf buf) {
    FdtException e =
        catchThrowableOfType(FdtException.class, () -> FrameHeader.read(buf, MAX_PAYLOAD));
    assertThat(e).isNotNull();
    assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL);
    return e.getMessage();
  }

  private static ByteBuf bytesOf(FrameHeader header) {
    ByteBuf buf = Unpooled.buffer();
    header.write(buf);
    return buf;
  }

  private static String hexOf(FrameHeader header) {
    return ByteBufUtil.hexDump(bytesOf(header));
  }
}
