package io.fdt.core.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class Crc32cTest {
  @Test
  void publishedVectorsComeOut() {
    assertThat(crcOf("123456789".getBytes(StandardCharsets.US_ASCII))).isEqualTo(0xE3069283);
    // RFC 3720, appendix B.4: 32 bytes of zeroes, of ones, ascending, descending.
    byte[] ascending = new byte[32];
    byte[] descending = new byte[32];
    byte[] ones = new byte[32];
    for (int i = 0; i < 32; i++) {
      ascending[i] = (byte) i;
      descending[i] = (byte) (31 - i);
      ones[i] = (byte) 0xFF;
    }
    assertThat(crcOf(new byte[32])).isEqualTo(0x8A9136AA);
    assertThat(crcOf(ones)).isEqualTo(0x62A8AB43);
    assertThat(crcOf(ascending)).isEqualTo(0x46DD794E);
    assertThat(crcOf(descending)).isEqualTo(0x113FDB5C);
  }

  @Test
  void nothingHasChecksumZero() {
    assertThat(Crc32c.of(Unpooled.EMPTY_BUFFER, 0, 0)).isZero();
    assertThat(new Crc32c().value()).isZero();
  }

  @Test
  void everyKindOfBufferGivesTheSameAndKeepsItsIndices() {
    byte[] bytes = new byte[1000];
    new Random(1).nextBytes(bytes);
    CRC32C expected = new CRC32C();
    expected.update(bytes, 100, 700);

    ByteBuf heap = Unpooled.wrappedBuffer(bytes);
    ByteBuf direct = Unpooled.directBuffer().writeBytes(bytes);
    ByteBuf composite =
        Unpooled.wrappedBuffer(
            Unpooled.copiedBuffer(bytes, 0, 333),
            Unpooled.directBuffer().writeBytes(bytes, 333, 1),
            Unpooled.copiedBuffer(bytes, 334, 666));
    for (ByteBuf buf : new ByteBuf[] {heap, direct, composite, direct.asReadOnly()}) {
      int reader = buf.readerIndex();
      int writer = buf.writerIndex();
      assertThat(Crc32c.of(buf, 100, 700)).as("%s", buf).isEqualTo((int) expected.getValue());
      assertThat(buf.readerIndex()).isEqualTo(reader);
      assertThat(buf.writerIndex()).isEqualTo(writer);
      assertThat(Crc32c.of(buf.slice(50, 900), 50, 700)).isEqualTo((int) expected.getValue());
    }
    heap.release();
    direct.release();
    composite.release();
  }

  @Test
  void updatesInPiecesGiveTheChecksumOfTheWholeAndResetForgets() {
    byte[] bytes = new byte[1000];
    new Random(2).nextBytes(bytes);
    ByteBuf buf = Unpooled.wrappedBuffer(bytes);
    Crc32c crc = new Crc32c().update(buf, 0, 1).update(buf, 1, 0).update(buf, 1, 998);
    crc.update(buf, 999, 1);
    assertThat(crc.value()).isEqualTo(crcOf(bytes));
    crc.reset();
    assertThat(crc.value()).isZero();
    assertThat(crc.update(buf, 0, 1000).value()).isEqualTo(crcOf(bytes));
  }

  @Test
  void bytesOutsideTheBufferAreRefused() {
    ByteBuf buf = Unpooled.directBuffer(8, 8).writeZero(8);
    assertThatThrownBy(() -> Crc32c.of(buf, 4, 5)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> Crc32c.of(buf, -1, 5)).isInstanceOf(IndexOutOfBoundsException.class);
    buf.release();
  }

  private static int crcOf(byte[] bytes) {
    ByteBuf buf = Unpooled.wrappedBuffer(bytes);
    return Crc32c.of(buf, 0, bytes.length);
  }
}
