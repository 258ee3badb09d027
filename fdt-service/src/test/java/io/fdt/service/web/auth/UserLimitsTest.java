package io.fdt.service.web.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.service.value.ServiceException;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class UserLimitsTest {
  /** A clock that stands still. */
  private static final class Still extends Clock {
    private long millis = 1000;

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Instant instant() {
      return Instant.ofEpochMilli(millis);
    }
  }

  private final Still clock = new Still();
  private final UserLimits limits = new UserLimits(10, clock);

  private int enter(String owner) {
    int entered = 0;
    try {
      while (entered < 1000) {
        limits.enter(owner).close();
        entered++;
      }
    } catch (ServiceException e) {
      assertThat(e.more()).containsEntry("retry_after", 1L);
      assertThat(e).hasMessageContaining("10 requests per second");
    }
    return entered;
  }

  @Test
  void aReserveOfFourSecondsThenTheRate() {
    assertThat(enter("alice")).isEqualTo(40);
    assertThat(enter("bob")).as("another user").isEqualTo(40);
    clock.millis += 500;
    assertThat(enter("alice")).isEqualTo(5);
    clock.millis += 3_600_000;
    assertThat(enter("alice")).isEqualTo(40);
    clock.millis -= 10_000;
    assertThat(enter("alice")).as("a clock that was put back").isZero();
  }

  @Test
  void requestsAtOnce() throws Exception {
    UserLimits wide = new UserLimits(1000, clock);
    UserLimits.Permit first = wide.enter("alice");
    for (int i = 1; i < UserLimits.MOST_AT_ONCE; i++) {
      UserLimits.Permit unused = wide.enter("alice");
    }
    assertThatThrownBy(() -> wide.enter("alice")).hasMessageContaining("32");
    wide.enter("bob").close();
    first.close();
    wide.enter("alice").close();
  }

  private long drop(String network) {
    long bytes = 0;
    while (bytes < 1L << 30 && limits.mayDrop(network, 1 << 20)) {
      bytes += 1 << 20;
    }
    return bytes;
  }

  @Test
  void whatIsDroppedAfterRefusalsIsLimitedForEachNetworkAndInAll() {
    long own = 4L * UserLimits.DROPPED_PER_SECOND;
    assertThat(drop("192.0.2.1")).isEqualTo(own);
    assertThat(drop("192.0.2.2")).as("another network").isEqualTo(own);
    clock.millis += 1000;
    assertThat(drop("192.0.2.1")).as("after a second").isEqualTo(own / 4);

    clock.millis += 3_600_000;
    long all = 0;
    for (int i = 0; i < 20; i++) {
      all += drop("198.51.100." + i);
    }
    assertThat(all).isEqualTo(4L * UserLimits.ALL_DROPPED_PER_SECOND);
  }
}
