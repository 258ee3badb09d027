package io.fdt.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class RateLimiterTest {
  private static final long SECOND = 1_000_000_000L;

  @Test
  void withoutALimitNothingWaits() {
    RateLimiter limiter = new RateLimiter(0);
    limiter.sent(Long.MAX_VALUE / 2, 5);
    assertThat(limiter.nanosToWait(5)).isZero();
  }

  @Test
  void theFirstSendDoesNotWaitAndTheNextWaitsForIt() {
    RateLimiter limiter = new RateLimiter(1000);
    long start = -7 * SECOND; // the clock of a JVM may be negative
    assertThat(limiter.nanosToWait(start)).isZero();
    limiter.sent(500, start);
    assertThat(limiter.nanosToWait(start)).isEqualTo(SECOND / 2);
    assertThat(limiter.nanosToWait(start + SECOND / 4)).isEqualTo(SECOND / 4);
    assertThat(limiter.nanosToWait(start + SECOND)).isZero();
  }

  @Test
  void aPauseIsNotMadeUpFor() {
    RateLimiter limiter = new RateLimiter(1000);
    limiter.sent(1000, 0);
    limiter.sent(1000, 100 * SECOND);
    assertThat(limiter.nanosToWait(100 * SECOND)).isEqualTo(SECOND);
  }

  @Test
  void theRateIsKeptOverAnyHourWhateverTheSizes() {
    long seed = 20261121;
    Random random = new Random(seed);
    long bytesPerSecond = 12_500_000;
    RateLimiter limiter = new RateLimiter(bytesPerSecond);
    long now = 0;
    long sent = 0;
    long last = 0;
    while (now < 3600 * SECOND) {
      long wait = limiter.nanosToWait(now);
      if (wait > 0) {
        now += wait;
        continue;
      }
      last = 1L + random.nextInt(4 << 20);
      limiter.sent(last, now);
      sent += last;
    }
    assertThat(sent).as("seed %d", seed).isBetween(3599 * bytesPerSecond, 3600 * bytesPerSecond + last);
  }
}
