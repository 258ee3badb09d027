package io.fdt.core.compress;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.compress.CompressionPolicy.Step;
import org.junit.jupiter.api.Test;

class CompressionPolicyTest {
  private static final int BYTES = 1_000_000;

  private final CompressionPolicy policy = new CompressionPolicy(1);

  /** Steps until the next sample, itself not counted. */
  private int skipped() {
    int count = 0;
    while (policy.next() == Step.LEAVE) {
      count++;
    }
    return count;
  }

  @Test
  void whatShrinksIsCompressedWhileThePathIsNotKnown() {
    assertThat(policy.next()).isEqualTo(Step.SAMPLE);
    assertThat(policy.seen(BYTES, BYTES / 2, 5_000_000)).isTrue();
    assertThat(policy.next()).isEqualTo(Step.COMPRESS);
  }

  @Test
  void whatDoesNotShrinkIsSampledLessAndLess() {
    int[] expected = {1, 3, 7, 15, 15, 15};
    for (int skips : expected) {
      assertThat(skipped()).isLessThanOrEqualTo(skips);
      assertThat(policy.seen(BYTES, BYTES, 1)).isFalse();
    }
    assertThat(skipped()).isEqualTo(CompressionPolicy.MOST_SKIPPED);
  }

  /** 5 ns a byte, half of it saved: pays as long as the path needs more than 10 ns for a byte. */
  @Test
  void itPaysWhereThePathIsSlowerThanTheProcessor() {
    policy.pathRate(90e6);
    assertThat(policy.seen(BYTES, BYTES / 2, 5L * BYTES)).isTrue();
    CompressionPolicy fast = new CompressionPolicy(1);
    fast.pathRate(110e6);
    assertThat(fast.seen(BYTES, BYTES / 2, 5L * BYTES)).isFalse();
    CompressionPolicy two = new CompressionPolicy(2);
    two.pathRate(190e6);
    assertThat(two.seen(BYTES, BYTES / 2, 5L * BYTES)).isTrue();
  }

  @Test
  void aPathThatBecomesFastEndsIt() {
    policy.pathRate(10e6);
    assertThat(policy.seen(BYTES, BYTES / 2, 5L * BYTES)).isTrue();
    policy.pathRate(1e9);
    assertThat(policy.seen(BYTES, BYTES / 2, 5L * BYTES)).isFalse();
    assertThat(skipped()).isEqualTo(1);
  }

  @Test
  void oneBlockOfNoiseDoesNotEndItManyDo() {
    policy.seen(BYTES, BYTES / 10, 1_000);
    assertThat(policy.seen(BYTES, BYTES, 1_000)).isTrue();
    int more = 0;
    while (policy.seen(BYTES, BYTES, 1_000)) {
      more++;
    }
    assertThat(more).isBetween(1, 10);
  }
}
