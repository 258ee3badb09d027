package io.fdt.core.udt;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.udt.packet.LossRanges;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Which packets are reported missing again, and when. */
class ReportsTest {
  private final LossRanges missing = new LossRanges();
  private final Reports reports = new Reports(missing);

  private void lose(long now, long from, long until) {
    missing.add(from, until);
    reports.add(now, from, until);
  }

  private static String text(LossRanges ranges) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < ranges.ranges(); i++) {
      text.append(ranges.from(i)).append('-').append(ranges.until(i)).append(' ');
    }
    return text.toString();
  }

  @Test
  void eachIsReportedAgainAfterItsOwnTime() {
    lose(100, 10, 14);
    lose(150, 20, 21);
    missing.remove(12);
    assertThat(reports.oldestMicros()).isEqualTo(100);
    assertThat(text(reports.takeUntil(99, 300))).isEmpty();
    assertThat(text(reports.takeUntil(100, 300))).isEqualTo("10-12 13-14 ");
    assertThat(reports.oldestMicros()).isEqualTo(150);
    assertThat(text(reports.takeUntil(150, 350))).isEqualTo("20-21 ");
    missing.removeBelow(13);
    assertThat(reports.oldestMicros()).isEqualTo(300);
    assertThat(text(reports.takeUntil(300, 500))).isEqualTo("13-14 ");
    missing.clear();
    assertThat(reports.oldestMicros()).isEqualTo(Long.MAX_VALUE);
  }

  /** The seed is in the message. */
  @Test
  void noneIsForgottenAndNoneTakenThatIsHere() {
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      LossRanges lost = new LossRanges();
      Reports log = new Reports(lost);
      TreeSet<Long> expected = new TreeSet<>();
      long highest = 0;
      for (int now = 0; now < 300; now++) {
        long from = highest + random.nextInt(3);
        long until = from + 1 + random.nextInt(4);
        highest = until + 1;
        lost.add(from, until);
        log.add(now, from, until);
        for (long at = from; at < until; at++) {
          expected.add(at);
        }
        for (int i = 0; i < 3; i++) {
          long found = random.nextInt((int) highest);
          lost.remove(found);
          expected.remove(found);
        }
      }
      TreeSet<Long> taken = new TreeSet<>();
      while (log.oldestMicros() < 1000) {
        LossRanges due = log.takeUntil(999, 1000);
        for (int i = 0; i < due.ranges(); i++) {
          for (long at = due.from(i); at < due.until(i); at++) {
            taken.add(at);
          }
        }
      }
      assertThat(taken).as("seed %d", seed).isEqualTo(expected);
    }
  }
}
