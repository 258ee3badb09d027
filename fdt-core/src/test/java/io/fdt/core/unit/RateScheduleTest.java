package io.fdt.core.unit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Clock;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RateScheduleTest {
  @ParameterizedTest
  @CsvSource({
    "off, 0, 0",
    "OFF, 0, 0",
    "100M, 104857600, 104857600",
    "8Mbit/s, 1000000, 1000000",
    "else=1K, 1024, 1024",
    "else=off, 0, 0"
  })
  void oneRateHoldsAlways(String text, long monday, long sunday) {
    RateSchedule schedule = RateSchedule.parse(text);
    assertThat(schedule.bytesPerSecondAt(LocalDateTime.parse("2026-11-23T00:00")))
        .isEqualTo(monday);
    assertThat(schedule.bytesPerSecondAt(LocalDateTime.parse("2026-11-29T23:59")))
        .isEqualTo(sunday);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          09:00-18:00=100B,else=off                   | 2026-11-23T08:59:59.999 | 0
          09:00-18:00=100B,else=off                   | 2026-11-23T09:00        | 100
          09:00-18:00=100B,else=off                   | 2026-11-29T17:59:59     | 100
          09:00-18:00=100B,else=off                   | 2026-11-23T18:00        | 0
          ' 09:00-12:00 = 1B , 12:00-18:00 = 2B , else = 3B ' | 2026-11-23T12:00 | 2
          22:00-06:00=1B,else=2B                      | 2026-11-23T21:59        | 2
          22:00-06:00=1B,else=2B                      | 2026-11-23T23:59        | 1
          22:00-06:00=1B,else=2B                      | 2026-11-24T00:00        | 1
          22:00-06:00=1B,else=2B                      | 2026-11-24T06:00        | 2
          00:00-24:00=off,else=2B                     | 2026-11-24T13:00        | 0
          18:00-24:00=1B,00:00-06:00=2B,else=3B       | 2026-11-24T23:59        | 1
          Mon-Fri 09:00-18:00=1B,else=2B              | 2026-11-27T09:00        | 1
          Mon-Fri 09:00-18:00=1B,else=2B              | 2026-11-28T09:00        | 2
          sat 00:00-24:00=1B,else=2B                  | 2026-11-28T00:00        | 1
          sat 00:00-24:00=1B,else=2B                  | 2026-11-29T00:00        | 2
          Sat-Mon 10:00-11:00=1B,else=2B              | 2026-11-23T10:30        | 1
          Sat-Mon 10:00-11:00=1B,else=2B              | 2026-11-24T10:30        | 2
          Sun 22:00-06:00=1B,else=2B                  | 2026-11-23T05:59        | 1
          Sun 22:00-06:00=1B,else=2B                  | 2026-11-29T05:59        | 2
          """)
  void theWindowOfATimeSaysTheRate(String text, LocalDateTime time, long rate) {
    assertThat(RateSchedule.parse(text).bytesPerSecondAt(time)).isEqualTo(rate);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ''                                    | not a rate
          slow                                  | not a rate: 'slow'
          0                                     | at least 1 byte per second
          09:00-18:00                           | contains no rate
          09:00-18:00=1M                        | end it with ,else=RATE or ,else=off
          09:00-18:00=fast,else=off             | in '09:00-18:00=fast': not a rate
          09:00-18:00=1M,12:00-13:00=2M,else=1M | '09:00-18:00' and '12:00-13:00' overlap on Mon at 12:00
          Sun 22:00-06:00=1M,Mon 05:00-07:00=2M,else=1M | overlap on Mon at 05:00
          9:00-18:00=1M,else=off                | '9:00-18:00' is not a time window
          09:00-25:00=1M,else=off               | 25:00 is not a time of day
          09:00-09:60=1M,else=off               | 09:60 is not a time of day
          09:00-24:01=1M,else=off               | 24:01 is not a time of day
          09:00-09:00=1M,else=off               | is empty
          Tag 09:00-10:00=1M,else=off           | 'Tag' is not a day
          09:00-10:00=1M,,else=off              | '' is not part of a schedule
          else=1M,else=2M                       | contains else twice
          """)
  void whatIsWrongIsSaid(String text, String message) {
    assertThatThrownBy(() -> RateSchedule.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  @Test
  void aTextWithoutEndIsNotRead() {
    assertThatThrownBy(() -> RateSchedule.parse("09:00-10:00=1M,".repeat(1000)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("15000 characters");
  }

  @Test
  void theLowestRateIsKnown() {
    assertThat(RateSchedule.parse("09:00-10:00=off,else=off").isNone()).isTrue();
    assertThat(RateSchedule.parse("09:00-10:00=5B,else=off").leastBytesPerSecond()).isEqualTo(5);
    assertThat(RateSchedule.parse("7B").leastBytesPerSecond()).isEqualTo(7);
    assertThat(RateSchedule.NONE.leastBytesPerSecond()).isZero();
  }

  /** Summer time begins on 29 March 2026: the clock of the wall goes from 2 to 3. */
  @Test
  void theClockOfTheWallCounts() {
    RateSchedule schedule = RateSchedule.parse("03:00-04:00=5B,else=off");
    ZoneId zone = ZoneId.of("Europe/Berlin");
    Clock before = Clock.fixed(Instant.parse("2026-03-29T00:59:59Z"), zone);
    Clock after = Clock.fixed(Instant.parse("2026-03-29T01:00:00Z"), zone);
    assertThat(schedule.bytesPerSecondAt(LocalDateTime.now(before))).isZero();
    assertThat(schedule.bytesPerSecondAt(LocalDateTime.now(after))).isEqualTo(5);
  }
}
