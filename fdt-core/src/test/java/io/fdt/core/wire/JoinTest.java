package io.fdt.core.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class JoinTest {
  private static final SessionId SESSION =
      SessionId.of(HexFormat.of().parseHex("000102030405060708090a0b0c0d0e0f"));
  private static final byte[] SECRET = new byte[Join.SECRET_LENGTH];

  static {
    Arrays.fill(SECRET, (byte) 0x42);
  }

  /** The proof was computed by Python's hmac module. */
  @Test
  void goldenBytes() {
    ByteBuf buf = bytesOf(Join.prove(SESSION, 7, SECRET));
    assertThat(ByteBufUtil.hexDump(buf))
        .isEqualTo(
            "000102030405060708090a0b0c0d0e0f"
                + "00000007"
                + "3f15e271b9ae743807766a04f6811acfee3614cda726c1e55e20d18d6d60f794");
    assertThat(buf.readableBytes()).isEqualTo(Join.LENGTH).isEqualTo(52);
  }

  @Test
  void whatIsWrittenIsReadAndStillProven() throws FdtException {
    Join join = Join.prove(SESSION, Integer.MAX_VALUE, SECRET);
    Join read = Join.read(bytesOf(join));
    assertThat(read).isEqualTo(join).hasSameHashCodeAs(join);
    assertThat(read.isProvenBy(SECRET)).isTrue();
  }

  @Test
  void everyFlippedBitAndEveryOtherSecretBreaksTheProof() throws FdtException {
    for (int bit = 0; bit < Join.LENGTH * 8; bit++) {
      ByteBuf buf = bytesOf(Join.prove(SESSION, 7, SECRET));
      buf.setByte(bit / 8, buf.getByte(bit / 8) ^ (1 << bit % 8));
      boolean streamTooLarge = bit / 8 == 16 && bit % 8 == 7;
      if (streamTooLarge) {
        FdtException e = catchThrowableOfType(FdtException.class, () -> Join.read(buf));
        assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL);
        continue;
      }
      assertThat(Join.read(buf).isProvenBy(SECRET)).as("bit %d", bit).isFalse();
    }
    byte[] other = SECRET.clone();
    other[31] ^= 1;
    assertThat(Join.prove(SESSION, 7, SECRET).isProvenBy(other)).isFalse();
  }

  @Test
  void everyPrefixNeedsMoreBytes() {
    ByteBuf whole = bytesOf(Join.prove(SESSION, 7, SECRET));
    for (int length = 0; length < Join.LENGTH; length++) {
      ByteBuf prefix = whole.slice(0, length);
      assertThatThrownBy(() -> Join.read(prefix)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThat(prefix.readableBytes()).isEqualTo(length);
    }
  }

  @Test
  void theProofCannotBeChangedFromOutsideAndIsNotPrinted() {
    Join join = Join.prove(SESSION, 7, SECRET);
    join.proof()[0] ^= 1;
    assertThat(join.isProvenBy(SECRET)).isTrue();
    assertThat(join).hasToString("Join[session=00010203, stream=7]");
  }

  @Test
  void sessionIdsRoundTripAndHaveAShortName() {
    assertThat(SESSION).hasToString("000102030405060708090a0b0c0d0e0f");
    assertThat(SESSION.shortName()).isEqualTo("00010203");
    assertThat(SessionId.of(SESSION.bytes())).isEqualTo(SESSION);
    ByteBuf buf = Unpooled.buffer();
    SESSION.write(buf);
    assertThat(ByteBufUtil.getBytes(buf)).isEqualTo(SESSION.bytes());
    assertThat(SessionId.read(buf)).isEqualTo(SESSION);
    assertThatThrownBy(() -> SessionId.of(new byte[15]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("15 bytes");
  }

  @Test
  void randomSessionIdsComeFromTheGivenGenerator() {
    Random random = new Random(3);
    SessionId first = SessionId.random(random);
    assertThat(SessionId.random(random)).isNotEqualTo(first);
    assertThat(SessionId.random(new Random(3))).isEqualTo(first);
  }

  @ParameterizedTest
  @EnumSource
  void refusalsCarryTheirReason(ErrorCode reason) {
    ByteBuf buf = Unpooled.buffer();
    JoinAnswer.refused(reason).write(buf);
    assertThat(buf.readableBytes()).isEqualTo(JoinAnswer.LENGTH);
    assertThat(buf.getInt(0)).isEqualTo(reason.wireCode());
    assertThat(JoinAnswer.read(buf)).isEqualTo(JoinAnswer.refused(reason));
    assertThat(JoinAnswer.refused(reason).isAccepted()).isFalse();
  }

  @Test
  void acceptanceIsZeroAndUnknownReasonsAreStillRefusals() {
    ByteBuf buf = Unpooled.buffer();
    JoinAnswer.ACCEPTED.write(buf);
    assertThat(buf.getInt(0)).isZero();
    assertThat(JoinAnswer.read(buf).isAccepted()).isTrue();
    assertThat(JoinAnswer.read(Unpooled.copyInt(-5)))
        .isEqualTo(JoinAnswer.refused(ErrorCode.INTERNAL));
    assertThatThrownBy(() -> JoinAnswer.read(Unpooled.copyMedium(0)))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  private static ByteBuf bytesOf(Join join) {
    ByteBuf buf = Unpooled.buffer();
    join.write(buf);
    return buf;
  }
}
