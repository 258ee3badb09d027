package io.fdt.core.compress;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.model.Compression;
import io.fdt.core.wire.PayloadDecoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CompressorTest {
  private static final int HEADER = 44;

  private final UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(true);

  @AfterEach
  void allMemoryIsFree() {
    assertThat(memory.metric().usedDirectMemory()).isZero();
  }

  private ByteBuf frame(byte[] payload) {
    int length = HEADER + payload.length;
    return memory.directBuffer(length, length).writerIndex(HEADER).writeBytes(payload);
  }

  private static byte[] noise(int length) {
    byte[] bytes = new byte[length];
    new SplittableRandom(1).nextBytes(bytes);
    return bytes;
  }

  private Compressor.Result compress(String how, byte[] payload) {
    return new Compressor(Compression.parse(how), memory, 1).compress(frame(payload), HEADER);
  }

  @ParameterizedTest
  @ValueSource(strings = {"auto", "zstd:1", "zstd:9", "lz4", "deflate"})
  void aPayloadThatShrinksLeavesEncodedAndArrivesPlain(String how) throws Exception {
    byte[] payload = new byte[300_000];
    System.arraycopy(noise(1000), 0, payload, 5000, 1000);
    Compressor.Result result = compress(how, payload);
    assertThat(result.encoding()).isNotEqualTo(PayloadDecoder.PLAIN);
    assertThat(result.frame().writerIndex()).isLessThan(10_000);
    assertThat(result.frame().capacity()).isEqualTo(result.frame().writerIndex());

    ByteBuf plain = memory.directBuffer(payload.length, payload.length);
    ByteBuf encoded = result.frame().readerIndex(HEADER);
    assertThat(Decompressor.of(Compression.parse(how)).decode(result.encoding(), encoded, plain))
        .isTrue();
    assertThat(ByteBufUtil.getBytes(plain)).isEqualTo(payload);
    plain.release();
    encoded.release();
  }

  @ParameterizedTest
  @ValueSource(strings = {"off", "auto", "zstd:1", "lz4", "deflate"})
  void noiseLeavesAsItIs(String how) {
    byte[] payload = noise(200_000);
    Compressor.Result result = compress(how, payload);
    assertThat(result.encoding()).isEqualTo(PayloadDecoder.PLAIN);
    assertThat(ByteBufUtil.getBytes(result.frame(), HEADER, payload.length)).isEqualTo(payload);
    result.frame().release();
  }

  @Test
  void aTinyPayloadIsNotWorthIt() {
    Compressor.Result result = compress("zstd", new byte[255]);
    assertThat(result.encoding()).isEqualTo(PayloadDecoder.PLAIN);
    result.frame().release();
  }

  /** No processor makes a byte shorter in a billionth of a nanosecond. */
  @Test
  void autoLeavesAllAloneOnAPathThatIsFasterThanAnyProcessor() {
    Compressor compressor = new Compressor(Compression.AUTO, memory, 1);
    compressor.pathRate(1e18);
    for (int i = 0; i < 100; i++) {
      Compressor.Result result = compressor.compress(frame(new byte[100_000]), HEADER);
      assertThat(result.encoding()).isEqualTo(PayloadDecoder.PLAIN);
      result.frame().release();
    }
  }
}
