package io.fdt.core.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the connections of a fan carry besides the stream. */
class FanCodingTest {
  private static final SessionId FAN =
      SessionId.of(HexFormat.of().parseHex("000102030405060708090a0b0c0d0e0f"));

  @Test
  void goldenBytes() {
    ByteBuf buf = Unpooled.buffer();
    Preface.of(Preface.Kind.FAN).write(buf);
    new FanMember(FAN, 8, 3).write(buf);
    new FanCell(258, FanCell.MAX_BYTES).write(buf);

    assertThat(ByteBufUtil.hexDump(buf))
        .isEqualTo(
            "894644540d0a1a0a0002040000000000"
                + "000102030405060708090a0b0c0d0e0f0803"
                + "000000000000010200010000");
  }

  @Test
  void whatIsWrittenIsRead() throws FdtException {
    ByteBuf buf = Unpooled.buffer();
    FanMember member = new FanMember(FAN, FanMember.MAX_COUNT, FanMember.MAX_COUNT - 1);
    FanCell cell = new FanCell(Long.MAX_VALUE, 1);
    member.write(buf);
    cell.write(buf);
    new FanCell(0, 0).write(buf);

    assertThat(FanMember.read(buf)).isEqualTo(member);
    assertThat(FanCell.read(buf)).isEqualTo(cell);
    assertThat(FanCell.read(buf).isEnd()).isTrue();
    assertThat(buf.isReadable()).isFalse();
  }

  @Test
  void everyPrefixIsTooShort() {
    ByteBuf member = Unpooled.buffer();
    new FanMember(FAN, 2, 0).write(member);
    ByteBuf cell = Unpooled.buffer();
    new FanCell(0, 1).write(cell);

    for (int length = 0; length < FanMember.LENGTH; length++) {
      ByteBuf prefix = member.slice(0, length);
      assertThatThrownBy(() -> FanMember.read(prefix))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
    for (int length = 0; length < FanCell.LENGTH; length++) {
      ByteBuf prefix = cell.slice(0, length);
      assertThatThrownBy(() -> FanCell.read(prefix)).isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0000", "0100", "0202", "02ff", "4100", "ff00"})
  void aCountOrIndexOutOfRangeIsRefused(String countAndIndex) {
    ByteBuf buf = Unpooled.wrappedBuffer(HexFormat.of().parseHex("00".repeat(16) + countAndIndex));
    FdtException e = catchThrowableOfType(FdtException.class, () -> FanMember.read(buf));
    assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "800000000000000000000001", "000000000000000000010001",
        "0000000000000000ffffffff", "000000000000000080000000"
      })
  void aNumberOrLengthOutOfRangeIsRefused(String header) {
    ByteBuf buf = Unpooled.wrappedBuffer(HexFormat.of().parseHex(header));
    FdtException e = catchThrowableOfType(FdtException.class, () -> FanCell.read(buf));
    assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL);
  }
}
