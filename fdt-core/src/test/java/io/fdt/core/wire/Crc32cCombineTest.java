package io.fdt.core.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class Crc32cCombineTest {
  private static final long SEED = 20261121;

  @Test
  void partsOfThePublishedVectorCombineToIt() {
    byte[] vector = "123456789".getBytes(StandardCharsets.US_ASCII);
    for (int cut = 0; cut <= vector.length; cut++) {
      int first = crcOf(vector, 0, cut);
      int second = crcOf(vector, cut, vector.length);
      assertThat(Crc32cCombine.combine(first, second, vector.length - cut)).isEqualTo(0xE3069283);
    }
  }

  @Test
  void randomBlocksInAnyOrderGiveTheChecksumOfTheFile() {
    Random random = new Random(SEED);
    for (int round = 0; round < 500; round++) {
      byte[] file = new byte[random.nextInt(5000)];
      random.nextBytes(file);
      List<int[]> blocks = split(file.length, random);
      Collections.shuffle(blocks, random);
      int sum = 0;
      for (int[] block : blocks) {
        sum ^= Crc32cCombine.shift(crcOf(file, block[0], block[1]), file.length - block[1]);
      }
      assertThat(sum).as("seed %d round %d", SEED, round).isEqualTo(crcOf(file, 0, file.length));
    }
  }

  @Test
  void everyOrderOfFourBlocksGivesTheSame() {
    byte[] file = new byte[1003];
    new Random(SEED).nextBytes(file);
    int[] ends = {0, 1, 400, 1000, 1003};
    int[] shares = new int[4];
    for (int i = 0; i < 4; i++) {
      shares[i] = Crc32cCombine.shift(crcOf(file, ends[i], ends[i + 1]), 1003L - ends[i + 1]);
    }
    int orders = 0;
    for (List<Integer> order : permutations(List.of(0, 1, 2, 3))) {
      int sum = 0;
      for (int i : order) {
        sum ^= shares[i];
      }
      assertThat(sum).isEqualTo(crcOf(file, 0, file.length));
      orders++;
    }
    assertThat(orders).isEqualTo(24);
  }

  @Test
  void lengthZeroChangesNothing() {
    assertThat(Crc32cCombine.shift(0xDEADBEEF, 0)).isEqualTo(0xDEADBEEF);
    assertThat(Crc32cCombine.combine(0xDEADBEEF, 0, 0)).isEqualTo(0xDEADBEEF);
    assertThat(Crc32cCombine.shift(0, Long.MAX_VALUE)).isZero();
  }

  /** crc(zeroes of 2n bytes) follows from crc(zeroes of n bytes): an independent way up. */
  @Test
  void lengthsBeyond32BitsAgreeWithDoubling() {
    int zeroes = crcOf(new byte[1], 0, 1);
    int shifted = Crc32cCombine.shift(0xE3069283, 1);
    for (int power = 0; power < 62; power++) {
      long length = 1L << power;
      if (power <= 24) {
        assertThat(zeroes).isEqualTo(crcOf(new byte[1 << power], 0, 1 << power));
      }
      assertThat(Crc32cCombine.shift(0xE3069283, length)).as("2^%d", power).isEqualTo(shifted);
      shifted = Crc32cCombine.shift(shifted, length);
      zeroes = Crc32cCombine.combine(zeroes, zeroes, length);
    }
  }

  /** The JDK reads 4 GiB + 5 bytes of zeroes: no arithmetic in common with the class. */
  @Test
  void fourGibibytesOfZeroesAgreeWithTheJdk() {
    byte[] zeroes = new byte[1 << 20];
    CRC32C crc = new CRC32C();
    byte[] head = {1, 2, 3};
    crc.update(head);
    for (int i = 0; i < 4096; i++) {
      crc.update(zeroes);
      if (i == 2047) {
        assertThat(appendZeroes(crcOf(head, 0, 3), 1L << 31)).isEqualTo((int) crc.getValue());
      }
    }
    crc.update(zeroes, 0, 5);
    assertThat(appendZeroes(crcOf(head, 0, 3), (1L << 32) + 5)).isEqualTo((int) crc.getValue());
  }

  @Test
  void shiftsAddUp() {
    Random random = new Random(SEED);
    for (int round = 0; round < 1000; round++) {
      int crc = random.nextInt();
      long a = random.nextLong() >>> 2 >>> random.nextInt(60);
      long b = random.nextLong() >>> 2 >>> random.nextInt(60);
      assertThat(Crc32cCombine.shift(Crc32cCombine.shift(crc, a), b))
          .as("seed %d round %d", SEED, round)
          .isEqualTo(Crc32cCombine.shift(crc, a + b));
    }
  }

  @Test
  void negativeLengthIsRefused() {
    assertThatThrownBy(() -> Crc32cCombine.shift(1, -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-1");
  }

  /** The checksum of n zeroes by repeated doubling, from the JDK's checksum of one zero. */
  private static int appendZeroes(int crc, long length) {
    int zeroes = 0;
    int power = crcOf(new byte[1], 0, 1);
    for (long bit = 1; bit <= length; bit <<= 1) {
      if ((length & bit) != 0) {
        zeroes = Crc32cCombine.combine(zeroes, power, bit);
      }
      power = Crc32cCombine.combine(power, power, bit);
    }
    return Crc32cCombine.combine(crc, zeroes, length);
  }

  private static List<int[]> split(int length, Random random) {
    List<int[]> blocks = new ArrayList<>();
    int start = 0;
    while (start < length) {
      int end = Math.min(length, start + 1 + random.nextInt(1 << random.nextInt(12)));
      blocks.add(new int[] {start, end});
      start = end;
    }
    return blocks;
  }

  private static List<List<Integer>> permutations(List<Integer> items) {
    if (items.isEmpty()) {
      return List.of(List.of());
    }
    List<List<Integer>> all = new ArrayList<>();
    for (Integer first : items) {
      List<Integer> rest = new ArrayList<>(items);
      rest.remove(first);
      for (List<Integer> tail : permutations(rest)) {
        List<Integer> one = new ArrayList<>(List.of(first));
        one.addAll(tail);
        all.add(one);
      }
    }
    return all;
  }

  @Test
  void theChecksumOfZerosNeedsNoZeros() {
    for (int length : new int[] {0, 1, 7, 4096, 100_003}) {
      assertThat(Crc32cCombine.ofZeros(length)).isEqualTo(crcOf(new byte[length], 0, length));
    }
  }

  private static int crcOf(byte[] bytes, int from, int to) {
    CRC32C crc = new CRC32C();
    crc.update(Arrays.copyOfRange(bytes, from, to));
    return (int) crc.getValue();
  }
}
