package io.fdt.core.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class WholeCrcTest {
  private static final long SEED = 20261121;

  private final byte[] bytes = new byte[10_000];

  @Test
  void anyOrderGivesTheChecksumOfTheWhole() {
    Random random = new Random(SEED);
    random.nextBytes(bytes);
    for (int round = 0; round < 100; round++) {
      List<int[]> blocks = new ArrayList<>();
      for (int at = 0; at < bytes.length; ) {
        int end = Math.min(bytes.length, at + 1 + random.nextInt(900));
        blocks.add(new int[] {at, end});
        at = end;
      }
      if (round == 1) {
        Collections.reverse(blocks);
      } else if (round > 1) {
        Collections.shuffle(blocks, random);
      }
      KeptRanges crc = new KeptRanges();
      blocks.forEach(block -> crc.add(block[0], block[1], crc(block[0], block[1])));
      assertThat(crc.crc()).as("round %d of seed %d", round, SEED).isEqualTo(crc(0, 10_000));
    }
  }

  @Test
  void nothingHasAChecksumAndAGapHasNone() {
    KeptRanges crc = new KeptRanges();
    crc.add(0, 0, 0);
    assertThat(crc.crc()).isZero();
    crc.add(10, 20, crc(10, 20));
    assertThatThrownBy(crc::crc).isInstanceOf(IllegalStateException.class);
  }

  private int crc(int start, int end) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, start, end - start);
    return (int) crc.getValue();
  }
}
