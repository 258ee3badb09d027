package io.fdt.udt.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.model.RangeSet;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Which packets are reported missing again, and when. */
class ReportsTest {
  private final RangeSet missing = new RangeSet();
  private final Reports reports = new Reports(missing);

  private void lose(long now, long from, long until) {
    missing.add(from, until);
    reports.add(now, from, until);
  }

  private static String text(RangeSet ranges) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < ranges.count(); i++) {
      text.append(ranges.start(i)).append('-').append(ranges.end(i)).append(' ');
    }
    return text.toString();
  }

  @Test
  void eachIsReportedAgainAfterItsOwnTime() {
    lose(100, 10, 14);
    lose(150, 20, 21);
    missing.remove(12, 13);
    assertThat(reports.oldestMicros()).isEqualTo(100);
    assertThat(text(reports.takeUntil(99, 300))).isEmpty();
    assertThat(text(reports.takeUntil(100, 300))).isEqualTo("10-12 13-14 ");
    assertThat(reports.oldestMicros()).isEqualTo(150);
    assertThat(text(reports.takeUntil(150, 350))).isEqualTo("20-21 ");
    missing.remove(0, 13);
    assertThat(reports.oldestMicros()).isEqualTo(300);
    assertThat(text(reports.takeUntil(300, 500))).isEqualTo("13-14 ");
    missing.remove(0, 100);
    assertThat(reports.oldestMicros()).isEqualTo(Long.MAX_VALUE);
  }

  /** The seed is in the message. */
  @Test
  void noneIsForgottenAndNoneTakenThatIsHere() {
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      RangeSet lost = new RangeSet();
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
          lost.remove(found, found + 1);
          expected.remove(found);
        }
      }
      TreeSet<Long> taken = new TreeSet<>();
      while (log.oldestMicros() < 1000) {
        RangeSet due = log.takeUntil(999, 1000);
        for (int i = 0; i < due.count(); i++) {
          for (long at = due.start(i); at < due.end(i); at++) {
            taken.add(at);
          }
        }
      }
      assertThat(taken).as("seed %d", seed).isEqualTo(expected);
    }
  }
}
