package io.fdt.cli.run.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** When a watch copies, in virtual time. */
class WatchScheduleTest {
  /** Such a clock may begin anywhere, and pass from positive to negative numbers. */
  private static final long START = Long.MAX_VALUE - 5_000_000_000L;

  @Test
  void theFirstCopyIsDueAtOnceAndNothingAfterItWithoutAChange() {
    WatchSchedule schedule = schedule(Optional.empty());
    assertThat(schedule.untilDue(at(0))).contains(0L);
    copies(schedule, 3000, false);
    assertThat(schedule.untilDue(at(1_000_000))).isEmpty();
  }

  @Test
  void aChangeIsCopiedWhenTheSourceIsQuiet() {
    WatchSchedule schedule = copied();
    schedule.changed(at(1000));
    schedule.changed(at(1900));
    assertThat(schedule.untilDue(at(2000))).contains(nanos(900));
    assertThat(schedule.untilDue(at(2900))).contains(0L);
    assertThat(schedule.untilDue(at(9900))).contains(0L);
  }

  @Test
  void aSourceThatIsNeverQuietIsCopiedAllTheSame() {
    WatchSchedule schedule = copied();
    int millis = 1000;
    while (!schedule.untilDue(at(millis)).equals(Optional.of(0L))) {
      schedule.changed(at(millis));
      millis += 500;
      assertThat(millis).isLessThanOrEqualTo(11_000);
    }
    assertThat(millis).isEqualTo(11_000);
  }

  @Test
  void aChangeDuringACopyIsCopiedAfterIt() {
    WatchSchedule schedule = copied();
    schedule.changed(at(1000));
    schedule.started();
    schedule.changed(at(3000));
    schedule.ended(at(3500), false);
    assertThat(schedule.untilDue(at(3500))).contains(nanos(500));
    copies(schedule, 5000, false);
    assertThat(schedule.untilDue(at(5000))).isEmpty();
  }

  @Test
  void aPeriodCountsFromTheEndOfACopy() {
    WatchSchedule schedule = schedule(Optional.of(Duration.ofMinutes(1)));
    copies(schedule, 30_000, false);
    assertThat(schedule.untilDue(at(30_000))).contains(nanos(60_000));
    schedule.changed(at(31_000));
    assertThat(schedule.untilDue(at(31_000))).contains(nanos(1000));
    copies(schedule, 40_000, false);
    assertThat(schedule.untilDue(at(40_000))).contains(nanos(60_000));
  }

  @Test
  void aFailureIsRepeatedLaterAndLater() {
    WatchSchedule schedule = schedule(Optional.empty());
    long now = 0;
    for (long seconds : new long[] {1, 2, 4, 8, 16, 32, 60, 60}) {
      copies(schedule, now, true);
      schedule.changed(at(now));
      assertThat(schedule.untilDue(at(now))).as("%d s", seconds).contains(nanos(seconds * 1000));
      now += seconds * 1000;
      assertThat(schedule.untilDue(at(now))).contains(0L);
    }
    copies(schedule, now, false);
    assertThat(schedule.untilDue(at(now))).isEmpty();
    copies(schedule, now, true);
    assertThat(schedule.untilDue(at(now))).contains(nanos(1000));
  }

  private static WatchSchedule schedule(Optional<Duration> every) {
    return new WatchSchedule(Duration.ofSeconds(1), every, START);
  }

  private static WatchSchedule copied() {
    WatchSchedule schedule = schedule(Optional.empty());
    copies(schedule, 0, false);
    return schedule;
  }

  private static void copies(WatchSchedule schedule, long endMillis, boolean failed) {
    schedule.started();
    schedule.ended(at(endMillis), failed);
  }

  private static long at(long millis) {
    return START + nanos(millis);
  }

  private static long nanos(long millis) {
    return millis * 1_000_000;
  }
}
