package io.fdt.service.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TimerPlanTest {
  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

  private static long next(long due, long interval, long now, long until) {
    return new TimerPlan(interval, until, Optional.empty()).next(due, now);
  }

  @Test
  void theRhythmStaysWhenAServiceWasOff() {
    assertThat(next(1000, 100, 1000, 0)).isEqualTo(1100);
    assertThat(next(1000, 100, 1099, 0)).isEqualTo(1100);
    assertThat(next(1000, 100, 1100, 0)).isEqualTo(1200);
    assertThat(next(1000, 100, 5678, 0)).isEqualTo(5700);
    assertThat(next(1000, 1, 1000, 0)).isEqualTo(1001);
  }

  @Test
  void noTimeIsBehindTheEnd() {
    assertThat(next(1000, 100, 1000, 1100)).isEqualTo(1100);
    assertThat(next(1100, 100, 1100, 1100)).isZero();
    assertThat(next(1000, 100, 9000, 1100)).isZero();
  }

  private static long at(String time) {
    return Instant.parse(time).toEpochMilli();
  }

  private static DailyWindow window(String text) {
    return DailyWindow.parse(text, BERLIN).orElseThrow();
  }

  @Test
  void timesOutsideOfTheWindowMoveToItsBeginning() {
    TimerPlan nights = new TimerPlan(5 * 3600_000, 0, Optional.of(window("22:00-06:00")));
    assertThat(nights.first(at("2027-01-10T12:00:00Z"))).isEqualTo(at("2027-01-10T21:00:00Z"));
    // 22:00 in Berlin, 03:00, and then 08:00, which is outside.
    long first = at("2027-01-10T21:00:00Z");
    long second = nights.next(first, first);
    assertThat(second).isEqualTo(at("2027-01-11T02:00:00Z"));
    assertThat(nights.next(second, second)).isEqualTo(at("2027-01-11T21:00:00Z"));

    TimerPlan short1 =
        new TimerPlan(3600_000, at("2027-01-10T12:00:00Z"), Optional.of(window("22:00-06:00")));
    assertThat(short1.first(at("2027-01-10T11:00:00Z"))).isZero();
  }

  @Test
  void aWindowBeginsWithItsFirstMinuteAndEndsBeforeItsLast() {
    DailyWindow day = window("08:30-17:00");
    assertThat(day.contains(at("2027-01-10T07:29:59Z"))).isFalse();
    assertThat(day.contains(at("2027-01-10T07:30:00Z"))).isTrue();
    assertThat(day.contains(at("2027-01-10T15:59:59Z"))).isTrue();
    assertThat(day.contains(at("2027-01-10T16:00:00Z"))).isFalse();
    assertThat(day.move(at("2027-01-10T16:00:00Z"))).isEqualTo(at("2027-01-11T07:30:00Z"));
    DailyWindow night = window("22:00-06:00");
    assertThat(night.contains(at("2027-01-10T23:30:00Z"))).isTrue();
    assertThat(night.contains(at("2027-01-10T05:00:00Z"))).isFalse();
  }

  /** On 2027-03-28 the clock in Berlin goes from 02:00 to 03:00. */
  @Test
  void aWindowWhoseBeginningIsSkippedBeginsWhenTheClockIsPastIt() {
    long evening = at("2027-03-27T20:00:00Z");
    for (String text : List.of("02:30-04:00", "02:30-03:30", "02:00-03:15")) {
      assertThat(window(text).move(evening)).as(text).isEqualTo(at("2027-03-28T01:00:00Z"));
    }
    assertThat(window("02:15-02:45").move(evening))
        .as("there is no such time on that day")
        .isEqualTo(at("2027-03-29T00:15:00Z"));
  }

  @Test
  void theDayAfterAChangeOfClocksHasItsUsualWindow() {
    assertThat(window("02:30-04:00").move(at("2027-03-28T10:00:00Z")))
        .isEqualTo(at("2027-03-29T00:30:00Z"));
    assertThat(window("02:30-04:00").move(at("2027-10-31T10:00:00Z")))
        .isEqualTo(at("2027-11-01T01:30:00Z"));
  }

  /** On 2027-10-31 the hour from 02:00 to 03:00 comes twice in Berlin. */
  @Test
  void anHourThatComesTwiceIsTwiceInTheWindow() {
    DailyWindow window = window("02:30-02:45");
    assertThat(window.move(at("2027-10-30T23:50:00Z"))).isEqualTo(at("2027-10-31T00:30:00Z"));
    assertThat(window.move(at("2027-10-31T00:50:00Z"))).isEqualTo(at("2027-10-31T01:30:00Z"));
    assertThat(window.move(at("2027-10-31T01:10:00Z"))).isEqualTo(at("2027-10-31T01:30:00Z"));
    assertThat(window.move(at("2027-10-31T01:45:00Z"))).isEqualTo(at("2027-11-01T01:30:00Z"));
  }

  /** Wherever a time is moved to is within the window, and not earlier. */
  @Test
  void everyTimeMovesIntoTheWindow() {
    for (ZoneId zone :
        List.of(BERLIN, ZoneId.of("America/Havana"), ZoneId.of("Australia/Lord_Howe"))) {
      for (String text : List.of("00:00-00:30", "01:45-02:15", "02:10-02:20", "23:30-01:10")) {
        DailyWindow window = DailyWindow.parse(text, zone).orElseThrow();
        long minutes = Duration.ofDays(366).toMinutes();
        for (long minute = 0; minute < minutes; minute += 10) {
          long time = at("2027-01-01T00:00:00Z") + minute * 60_000;
          long moved = window.move(time);
          assertThat(moved >= time && window.contains(moved))
              .as("%s %s %s", zone, text, Instant.ofEpochMilli(time))
              .isTrue();
        }
      }
    }
  }

  @Test
  void whatIsNoWindowIsRefused() {
    for (String bad :
        List.of("", "22:00", "22-06", "24:00-06:00", "22:00-22:00", "22:00-06:00-07:00", "a-b")) {
      assertThat(DailyWindow.parse(bad, BERLIN)).as(bad).isEmpty();
    }
  }
}
