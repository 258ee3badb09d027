package io.fdt.core.unit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NumberTextTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0 B",
    "1, 1 B",
    "1023, 1023 B",
    "1024, 1.00 KiB",
    "1536, 1.50 KiB",
    "10240, 10.0 KiB",
    "102400, 100 KiB",
    "1048575, 1.00 MiB",
    "1048576, 1.00 MiB",
    "5368709120, 5.00 GiB",
    "9223372036854775807, 8.00 EiB"
  })
  void bytesHaveThreeDigitsAndAUnit(long bytes, String text) {
    assertThat(NumberText.bytes(bytes)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0 B/s",
    "0.4, 0 B/s",
    "1024, 1.00 KiB/s",
    "10480000, 9.99 MiB/s",
    "10484000, 10.0 MiB/s",
    "117625000, 112 MiB/s",
    "1073741823, 1.00 GiB/s",
    "1e19, 8.67 EiB/s"
  })
  void ratesAreInBytesPerSecond(double bytesPerSecond, String text) {
    assertThat(NumberText.rate(bytesPerSecond)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0 bit/s",
    "12.5, 100 bit/s",
    "125000, 1.00 Mbit/s",
    "436250000, 3.49 Gbit/s",
    "124999999, 1.00 Gbit/s",
    "1.25e12, 10.0 Tbit/s"
  })
  void bitsPerSecondAreInPowersOfAThousand(double bytesPerSecond, String text) {
    assertThat(NumberText.bits(bytesPerSecond)).isEqualTo(text);
  }

  @Test
  void theRateOfANetworkIsInBoth() {
    assertThat(NumberText.networkRate(117_625_000)).isEqualTo("112 MiB/s (941 Mbit/s)");
  }

  @Test
  void aRateThatIsNotKnownYetDoesNotBreakTheDisplay() {
    assertThat(NumberText.rate(Double.NaN)).isEqualTo("? B/s");
    assertThat(NumberText.rate(Double.POSITIVE_INFINITY)).isEqualTo("? B/s");
    assertThat(NumberText.bits(-1)).isEqualTo("? bit/s");
  }

  @Test
  void progressIsInTheUnitOfTheTotal() {
    assertThat(NumberText.progress(1 << 20, 3L << 30, "")).isEqualTo("0.00/3.00 GiB");
    assertThat(NumberText.progress(3L << 29, 3L << 30, "≥")).isEqualTo("1.50/≥3.00 GiB");
    assertThat(NumberText.progress(0, 0, "")).isEqualTo("0/0 B");
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0.0 s",
    "40, 0.0 s",
    "12345, 12.3 s",
    "59999, 59.9 s",
    "60000, 1 min 00 s",
    "125000, 2 min 05 s",
    "3600000, 1 h 00 min",
    "90000000, 25 h 00 min"
  })
  void durationsAreForPeople(long millis, String text) {
    assertThat(NumberText.duration(Duration.ofMillis(millis))).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0:00",
    "12, 0:12",
    "3599, 59:59",
    "3725, 1:02:05",
    "359999, 99:59:59",
    "360000, 4 days"
  })
  void clocksCountDown(long seconds, String text) {
    assertThat(NumberText.clock(seconds)).isEqualTo(text);
  }

  @Test
  void timesAreThoseOfAPlace() {
    Instant time = Instant.parse("2026-11-27T22:40:05.9Z");
    assertThat(NumberText.time(time, ZoneOffset.UTC)).isEqualTo("2026-11-27 22:40:05");
    assertThat(NumberText.time(time, ZoneId.of("Europe/Zurich"))).isEqualTo("2026-11-27 23:40:05");
  }

  @Test
  void agesAreWholeSeconds() {
    assertThat(NumberText.age(Duration.ofMillis(5_900), false)).isEqualTo("5 s");
    assertThat(NumberText.age(Duration.ofSeconds(125), true)).isEqualTo("2 min 05 s ago");
  }

  @Test
  void countsHaveThousandsAndAPlural() {
    assertThat(NumberText.count(0, "file")).isEqualTo("0 files");
    assertThat(NumberText.count(1, "file")).isEqualTo("1 file");
    assertThat(NumberText.count(1234567, "file")).isEqualTo("1,234,567 files");
  }
}
