package io.fdt.core.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class PrefaceTest {
  @Test
  void goldenBytes() {
    assertThat(hexOf(Preface.of(Preface.Kind.ANSWER)))
        .isEqualTo("894644540d0a1a0a0003000000000000");
    assertThat(hexOf(Preface.of(Preface.Kind.CONTROL)))
        .isEqualTo("894644540d0a1a0a0003010000000000");
    assertThat(hexOf(Preface.of(Preface.Kind.DATA))).isEqualTo("894644540d0a1a0a0003020000000000");
  }

  @ParameterizedTest
  @EnumSource
  void whatIsWrittenIsRead(Preface.Kind kind) throws FdtException {
    ByteBuf buf = bytesOf(Preface.of(kind)).writeByte(42);
    assertThat(Preface.read(buf)).isEqualTo(Preface.of(kind));
    assertThat(buf.readableBytes()).isEqualTo(1);
  }

  @Test
  void everyPrefixCouldStillBecomeAPrefaceButCannotBeRead() {
    ByteBuf whole = bytesOf(Preface.of(Preface.Kind.DATA));
    for (int length = 0; length < Preface.LENGTH; length++) {
      ByteBuf prefix = whole.slice(0, length);
      assertThatCode(() -> Preface.checkStart(prefix)).doesNotThrowAnyException();
      assertThatThrownBy(() -> Preface.read(prefix)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThat(prefix.readableBytes()).isEqualTo(length);
    }
  }

  @Test
  void everyFlippedBitIsRefusedUnlessItNamesAnotherKindOrRefuses() {
    for (int bit = 0; bit < Preface.LENGTH * 8; bit++) {
      ByteBuf buf = bytesOf(Preface.of(Preface.Kind.ANSWER));
      buf.setByte(bit / 8, buf.getByte(bit / 8) ^ (1 << bit % 8));
      boolean otherKind = bit == 80 || bit == 81;
      boolean refusal = bit >= 96;
      if (otherKind || refusal) {
        assertThatCode(() -> Preface.read(buf)).doesNotThrowAnyException();
        continue;
      }
      ErrorCode expected =
          bit < 64 ? ErrorCode.NOT_FDT : bit < 80 ? ErrorCode.VERSION : ErrorCode.PROTOCOL;
      FdtException e = catchThrowableOfType(FdtException.class, () -> Preface.read(buf));
      assertThat(e).as("bit %d", bit).isNotNull();
      assertThat(e.code()).as("bit %d", bit).isEqualTo(expected);
    }
  }

  @Test
  void onlyAServerCanRefuse() throws Exception {
    ByteBuf answer = bytesOf(Preface.refusing(ErrorCode.BUSY));
    assertThat(ByteBufUtil.hexDump(answer)).isEqualTo("894644540d0a1a0a0003000000000009");
    assertThat(Preface.read(answer).refusal()).isEqualTo(ErrorCode.BUSY.wireCode());

    ByteBuf ofClient = bytesOf(Preface.of(Preface.Kind.DATA)).setInt(12, 9);
    FdtException e = catchThrowableOfType(FdtException.class, () -> Preface.read(ofClient));
    assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL);
  }

  @Test
  void theFirstWrongByteIsEnoughToRefuse() {
    FdtException e =
        catchThrowableOfType(
            FdtException.class, () -> Preface.checkStart(Unpooled.wrappedBuffer(new byte[] {'S'})));
    assertThat(e.code()).isEqualTo(ErrorCode.NOT_FDT);
    assertThat(e).hasMessageContaining("'S'");
  }

  @ParameterizedTest
  @CsvSource({
    "SSH-2.0-OpenSSH_9.2p1 Debian-2, SSH server",
    "HTTP/1.1 400 Bad Request, HTTP server",
    "GET / HTTP/1.1, HTTP client",
    "220 ftp.example.org ready, something else"
  })
  void theMessageNamesWhoAnsweredAndQuotesIt(String answer, String who) {
    ByteBuf buf = Unpooled.copiedBuffer(answer, StandardCharsets.US_ASCII);
    FdtException e = catchThrowableOfType(FdtException.class, () -> Preface.checkStart(buf));
    assertThat(e.code()).isEqualTo(ErrorCode.NOT_FDT);
    assertThat(e).hasMessageContaining(who).hasMessageContaining("'" + answer + "'");
  }

  @Test
  void theQuoteIsShortAndHarmless() {
    ByteBuf buf = Unpooled.buffer().writeBytes(new byte[] {27, '[', '2', 'J', '\r', '\n', -1});
    buf.writeBytes("x".repeat(100_000).getBytes(StandardCharsets.US_ASCII));
    FdtException e = catchThrowableOfType(FdtException.class, () -> Preface.checkStart(buf));
    String quote = e.getMessage().substring(e.getMessage().indexOf('\'') + 1);
    assertThat(quote).startsWith("\\u001b[2J\\r\\n\\xffxx").endsWith("...'");
    assertThat(quote.length() - 1).isLessThanOrEqualTo(40);
    assertThat(e.getMessage()).matches("\\p{Print}*");
  }

  @Test
  void aMagicWithRewrittenLineEndsIsToldApart() {
    ByteBuf buf = Unpooled.wrappedBuffer(new byte[] {(byte) 0x89, 'F', 'D', 'T', 0x0A, 0x1A, 0x0A});
    assertThatThrownBy(() -> Preface.checkStart(buf)).hasMessageContaining("changes bytes");
  }

  @Test
  void anotherVersionIsNamed() {
    ByteBuf buf = bytesOf(new Preface(7, Preface.Kind.CONTROL, 0));
    FdtException e = catchThrowableOfType(FdtException.class, () -> Preface.read(buf));
    assertThat(e.code()).isEqualTo(ErrorCode.VERSION);
    assertThat(e).hasMessageContaining("version 7").hasMessageContaining("version 3");
  }

  private static ByteBuf bytesOf(Preface preface) {
    ByteBuf buf = Unpooled.buffer();
    preface.write(buf);
    return buf;
  }

  private static String hexOf(Preface preface) {
    return ByteBufUtil.hexDump(bytesOf(preface));
  }
}
