package io.fdt.core.digest;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pieces that have moved are found. */
class PieceSearchTest {
  private static final int PIECE = PieceHasher.SMALLEST;
  private static final long PLACE = 5L << 40;

  private final Random random = new Random(1);

  private byte[] random(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private static PieceSearch searchOf(byte[] file, long offset) {
    int pieces = file.length / PIECE;
    PieceSearch search = new PieceSearch(pieces);
    int[] hashes = new int[pieces];
    for (int i = 0; i < pieces; i++) {
      CRC32C crc = new CRC32C();
      crc.update(file, i * PIECE, PIECE);
      hashes[i] = (int) crc.getValue();
    }
    for (int i = 0; i + 1 < pieces; i++) {
      search.add(offset + (long) i * PIECE, hashes[i], hashes[i + 1]);
    }
    return search;
  }

  private static byte[] joined(byte[]... parts) {
    ByteBuffer all = ByteBuffer.allocate(Arrays.stream(parts).mapToInt(part -> part.length).sum());
    for (byte[] part : parts) {
      all.put(part);
    }
    return all.array();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 4095, 4096, 30_001})
  void aPairIsFoundAtEachOffset(int before) {
    byte[] file = random(2 * PIECE);
    byte[] other = joined(random(before), file);

    assertThat(searchOf(file, PLACE).find(other, other.length, PLACE + 7))
        .isEqualTo(OptionalLong.of(before + 7));
    assertThat(searchOf(file, PLACE).find(other, other.length - 1, PLACE + 7)).isEmpty();
  }

  @Test
  void theRestOfACutPairIsFound() {
    byte[] file = random(5 * PIECE);
    byte[] other = joined(random(77), Arrays.copyOfRange(file, PIECE + 9, file.length));

    assertThat(searchOf(file, 0).find(other, other.length, 0))
        .isEqualTo(OptionalLong.of(77 - PIECE - 9));
  }

  @Test
  void aSinglePieceIsNotEnough() {
    byte[] file = random(2 * PIECE);
    byte[] other = joined(Arrays.copyOf(file, PIECE), random(3 * PIECE));

    assertThat(searchOf(file, 0).find(other, other.length, 0)).isEmpty();
  }

  /** Otherwise each offset of a long run of zeros would cost the hash of a piece. */
  @Test
  void piecesThatAreFoundEverywhereAreLeftOut() {
    byte[] zeros = new byte[PIECE];
    byte[] file = joined(zeros, zeros, random(PIECE), zeros, random(2 * PIECE));
    byte[] other = joined(new byte[100 * PIECE], Arrays.copyOfRange(file, 4 * PIECE, file.length));

    assertThat(searchOf(file, 0).find(other, other.length, 0))
        .isEqualTo(OptionalLong.of(96 * PIECE));
  }
}
