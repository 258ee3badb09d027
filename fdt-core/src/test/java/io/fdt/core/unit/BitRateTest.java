package io.fdt.core.unit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BitRateTest {
  @ParameterizedTest
  @CsvSource({
    "100000, 100000",
    "1500000, 1500000",
    "64K, 65536",
    "100M, 104857600",
    "100m, 104857600",
    "1.5G, 1610612736",
    "100M/s, 104857600",
    "100MiB/s, 104857600",
    "100MiB, 104857600",
    "100MB/s, 100000000",
    "100MB, 100000000",
    "7B/s, 7",
    "1Gbit/s, 125000000",
    "1 Gbit/s, 125000000",
    "800mbit/s, 100000000",
    "1gbps, 125000000",
    "10Gbps, 1250000000",
    "8bit/s, 1",
    "8bps, 1",
    "9bps, 1",
    "1Kibit/s, 128",
    "1T, 1099511627776"
  })
  void ratesAreReadAsPeopleWriteThem(String text, long bytesPerSecond) {
    assertThat(BitRate.parse(text)).isEqualTo(BitRate.ofBytesPerSecond(bytesPerSecond));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "fast", "-1M", "M", "1,5M", "1e6"})
  void whatIsNoNumberIsRefusedWithExamples(String text) {
    assertThatThrownBy(() -> BitRate.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("not a rate: '" + text + "' (write it like 100M, 100MB/s or 1Gbit/s)");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1mb/s", "1Mb", "1mb", "1MBps", "1MBPS", "1X", "1M/h", "1ibit/s", "1Zbit/s", "1iB/s",
        "1/s/s"
      })
  void unknownAndAmbiguousUnitsAreNamed(String text) {
    assertThatThrownBy(() -> BitRate.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("unknown unit '" + text.substring(1) + "' in '" + text + "'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "10", "99999", "1.5"})
  void aSmallNumberNeedsAUnit(String text) {
    assertThatThrownBy(() -> BitRate.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "'%s' has no unit: write %sM (MiB a second), %sMbit/s, or %sB/s (bytes a second)"
                .formatted(text, text, text, text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "0M", "7bit/s", "0.9"})
  void nothingPerSecondIsNoRate(String text) {
    assertThatThrownBy(() -> BitRate.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a rate is at least 1 byte per second: '" + text + "'");
    assertThatThrownBy(() -> new BitRate(0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void ratesThatDoNotFitAreRefused() {
    assertThatThrownBy(() -> BitRate.parse("99999999T"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("too large");
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0 B/s",
    "0.4, 0 B/s",
    "999.4, 999 B/s",
    "999.6, 1.00 kB/s",
    "1234567890, 1.23 GB/s",
    "9994000, 9.99 MB/s",
    "9996000, 10.0 MB/s",
    "99940000, 99.9 MB/s",
    "99960000, 100 MB/s",
    "117625000, 118 MB/s",
    "999500000, 1.00 GB/s",
    "1e30, 1000000000000 EB/s"
  })
  void diskRatesHaveThreeDigits(double bytesPerSecond, String text) {
    assertThat(BitRate.format(bytesPerSecond)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({"0, 0 bit/s", "117625000, 941 Mbit/s", "1250000000, 10.0 Gbit/s", "125, 1.00 kbit/s"})
  void networkRatesAreInBits(double bytesPerSecond, String text) {
    assertThat(BitRate.formatBits(bytesPerSecond)).isEqualTo(text);
  }

  @Test
  void aRateThatIsNotKnownYetDoesNotBreakTheDisplay() {
    assertThat(BitRate.format(Double.NaN)).isEqualTo("? B/s");
    assertThat(BitRate.format(Double.POSITIVE_INFINITY)).isEqualTo("? B/s");
    assertThat(BitRate.formatBits(-1)).isEqualTo("? bit/s");
  }

  @Test
  void ratesPrintAsNetworkRatesAndCompare() {
    assertThat(BitRate.ofBytesPerSecond(117_625_000)).hasToString("941 Mbit/s");
    assertThat(BitRate.parse("100MB/s")).isLessThan(BitRate.parse("1Gbit/s"));
  }
}
