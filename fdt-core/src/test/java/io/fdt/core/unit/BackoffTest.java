package io.fdt.core.unit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BackoffTest {
  private final Backoff backoff = new Backoff(Duration.ofNanos(100), Duration.ofNanos(500));

  @Test
  void pausesDoubleUpToTheLast() {
    List<Long> pauses = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      pauses.add(backoff.nextNanos());
    }
    assertThat(pauses).containsExactly(100L, 200L, 400L, 500L, 500L);
    backoff.reset();
    assertThat(backoff.nextNanos()).isEqualTo(100);
  }

  @Test
  void anyNumberOfFailuresHasAPause() {
    assertThat(backoff.nanosAfter(1)).isEqualTo(100);
    assertThat(backoff.nanosAfter(Integer.MAX_VALUE)).isEqualTo(500);
  }

  @Test
  void aShortenedPauseIsHalfOfItOrMore() {
    assertThat(backoff.nextNanos(bound -> 0)).isEqualTo(50);
    assertThat(backoff.nextNanos(bound -> bound - 1)).isEqualTo(200);
    assertThat(backoff.nanosAfter(3, bound -> 7)).isEqualTo(207);
  }
}
