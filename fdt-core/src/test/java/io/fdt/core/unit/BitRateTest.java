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
    "100Mbit, 12500000",
    "100 mbit, 12500000",
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
        .hasMessage("not a rate: '" + text + "' (write it like 100M, 100MiB/s or 1Gbit)");
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
            "'%s' has no unit: write %sM (MiB/s), %sMbit (bits) or %sB/s"
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
    "30M, 30.0 MiB/s",
    "64K, 64.0 KiB/s",
    "1.5G, 1.50 GiB/s",
    "100Mbit, 100 Mbit/s",
    "512Kbit/s, 512 kbit/s",
    "1gbps, 1.00 Gbit/s",
    "1000B/s, 1000 B/s",
    "123456789, 118 MiB/s",
    "7E, 7.00 EiB/s"
  })
  void aRateIsPrintedInTheUnitInWhichItWasWritten(String text, String printed) {
    assertThat(BitRate.parse(text)).hasToString(printed);
  }

  @Test
  void ratesCompare() {
    assertThat(BitRate.parse("100MB/s")).isLessThan(BitRate.parse("1Gbit/s"));
  }
}
