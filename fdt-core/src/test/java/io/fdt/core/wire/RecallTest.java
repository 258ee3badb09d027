package io.fdt.core.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class RecallTest {
  private static final ByteBuf PAYLOAD =
      Unpooled.unreleasableBuffer(Unpooled.copiedBuffer("abc", StandardCharsets.US_ASCII));

  /** SHA-256 of "abc", as FIPS 180-2 has it. */
  private static final String DIGEST =
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

  private static final FrameHeader BLOCK = FrameHeader.block(5, 6, 7, 300, 8).encoded(1, 3);

  private static ByteBuf written(FrameHeader header) {
    ByteBuf out = Unpooled.buffer();
    new Recall(header, Recall.digest(PAYLOAD, 0, 3)).write(out);
    return out;
  }

  @Test
  void whatIsWrittenIsAFrameAndReadAgain() throws FdtException {
    ByteBuf in = written(BLOCK);
    assertThat(in.readableBytes()).isEqualTo(Recall.FRAME_LENGTH);
    FrameHeader outer = FrameHeader.read(in, 100);
    assertThat(outer.type()).isEqualTo(FrameHeader.Type.RECALL);
    assertThat(outer.number()).isEqualTo(5);
    Recall read = Recall.read(outer, in);
    assertThat(in.isReadable()).isFalse();
    assertThat(read.frame()).isEqualTo(BLOCK);
    assertThat(ByteBufUtil.hexDump(read.digest())).isEqualTo(DIGEST);
  }

  @Test
  void everyFlippedBitIsNoticed() throws FdtException {
    for (int bit = 0; bit < 8 * Recall.LENGTH; bit++) {
      ByteBuf in = written(BLOCK);
      int at = FrameHeader.LENGTH + bit / 8;
      in.setByte(at, in.getByte(at) ^ 1 << bit % 8);
      assertThat(violation(in)).as("bit %d", bit).contains("damaged");
    }
  }

  @Test
  void onlyWhatHasAPayloadCanBeNamedAndUnderItsOwnNumber() throws FdtException {
    assertThat(violation(written(FrameHeader.idle(5)))).contains("of type IDLE");
    assertThat(violation(written(FrameHeader.recall(5, 1)))).contains("of type RECALL");
    FrameHeader pack = FrameHeader.pack(5, 1, 20, 0);
    ByteBuf whole = written(pack);
    assertThat(Recall.read(FrameHeader.read(whole, 100), whole).frame()).isEqualTo(pack);
    ByteBuf in = written(BLOCK);
    int crc = in.getInt(36); // of the payload, in the outer header
    FrameHeader.recall(4, crc).writeAt(in, 0);
    assertThat(violation(in)).contains("name of frame 5 of type BLOCK in place of 4");
  }

  private static String violation(ByteBuf in) throws FdtException {
    FrameHeader outer = FrameHeader.read(in, 100);
    FdtException e = catchThrowableOfType(FdtException.class, () -> Recall.read(outer, in));
    assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL);
    return e.getMessage();
  }
}
