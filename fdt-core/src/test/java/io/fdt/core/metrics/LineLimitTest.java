package io.fdt.core.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LineLimitTest {
  private static final long SECOND = 1_000_000_000;

  @Test
  void linesBeyondTheLimitAreCountedAndToldWithTheNext() {
    for (long start : new long[] {0, -5 * SECOND, Long.MAX_VALUE - SECOND / 2}) {
      LineLimit limit = new LineLimit(2);
      assertThat(limit.take(start)).isZero();
      assertThat(limit.take(start + 1)).isZero();
      for (int i = 0; i < 1000; i++) {
        assertThat(limit.take(start + 2 + i)).isEqualTo(-1);
      }
      assertThat(limit.take(start + SECOND - 1)).isEqualTo(-1);
      assertThat(limit.take(start + SECOND)).isEqualTo(1001);
      assertThat(limit.take(start + SECOND)).isZero();
      assertThat(limit.take(start + SECOND)).isEqualTo(-1);
    }
  }
}
