package io.fdt.core.compress;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.model.Compression;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CodecTest {
  private static final byte GUARD = 0x5A;

  private static ByteBuffer direct(byte[] bytes) {
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }

  private static int level(Codec codec) {
    return Compression.of(Compression.Method.valueOf(codec.name())).level();
  }

  /** Half noise, half repetition. */
  private static byte[] content(int length, long seed) {
    byte[] bytes = new byte[length];
    new SplittableRandom(seed).nextBytes(bytes);
    Arrays.fill(bytes, 0, length / 2, (byte) seed);
    return bytes;
  }

  private static byte[] encoded(Codec codec, byte[] plain) {
    ByteBuffer out = ByteBuffer.allocateDirect(2 * plain.length + 100);
    int length = codec.encode(direct(plain), out, level(codec));
    assertThat(length).isPositive();
    byte[] encoded = new byte[length];
    out.get(0, encoded);
    return encoded;
  }

  @ParameterizedTest
  @EnumSource
  void whatIsEncodedIsDecodedToTheSame(Codec codec) {
    for (int length : new int[] {1, 2, 255, 4096, 65_537, 1 << 20}) {
      byte[] plain = content(length, length);
      ByteBuffer out = ByteBuffer.allocateDirect(length);
      assertThat(codec.decode(direct(encoded(codec, plain)), out)).isEqualTo(length);
      byte[] decoded = new byte[length];
      out.get(0, decoded);
      assertThat(decoded).isEqualTo(plain);
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatDoesNotFitIsSaidToBeTooLong(Codec codec) {
    byte[] noise = new byte[100_000];
    new SplittableRandom(3).nextBytes(noise);
    ByteBuffer room = ByteBuffer.allocateDirect(noise.length - 1);
    assertThat(codec.encode(direct(noise), room, level(codec))).isEqualTo(Codec.TOO_LONG);
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsWrittenBeyondTheRoomWhateverTheBytesSay(Codec codec) {
    byte[] bomb = encoded(codec, new byte[4 << 20]);
    ByteBuffer all = ByteBuffer.allocateDirect(3000);
    for (int i = 0; i < all.capacity(); i++) {
      all.put(i, GUARD);
    }
    ByteBuffer room = all.duplicate().position(1000).limit(2000);
    assertThat(codec.decode(direct(bomb), room)).isEqualTo(Codec.DAMAGED);
    for (int i = 0; i < 1000; i++) {
      assertThat(all.get(i)).isEqualTo(GUARD);
      assertThat(all.get(2000 + i)).isEqualTo(GUARD);
    }
  }

  /** A longer room than the plain bytes need, or bytes that are cut, is no whole payload. */
  @ParameterizedTest
  @EnumSource
  void aPayloadOfAnotherLengthIsNotWhole(Codec codec) {
    byte[] plain = content(10_000, 5);
    byte[] encoded = encoded(codec, plain);
    ByteBuffer longer = ByteBuffer.allocateDirect(plain.length + 1);
    assertThat(codec.decode(direct(encoded), longer)).isNotEqualTo(plain.length + 1);
    byte[] cut = Arrays.copyOf(encoded, encoded.length - 5);
    ByteBuffer room = ByteBuffer.allocateDirect(plain.length);
    assertThat(codec.decode(direct(cut), room)).isNotEqualTo(plain.length);
  }

  @Test
  void eachHasAnEncodingOfItsOwn() {
    for (Codec codec : Codec.values()) {
      assertThat(Codec.ofWireCode(codec.wireCode())).isEqualTo(codec);
    }
    assertThat(Codec.ofWireCode(0)).isNull();
    assertThat(Codec.ofWireCode(4)).isNull();
  }
}
