package io.fdt.core.unit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ByteSizeTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "1500, 1500",
    "1500B, 1500",
    "64K, 65536",
    "64k, 65536",
    "64KiB, 65536",
    "64kib, 65536",
    "64KB, 64000",
    "64kB, 64000",
    "1M, 1048576",
    "1MiB, 1048576",
    "16MB, 16000000",
    "2g, 2147483648",
    "2GB, 2000000000",
    "1.5G, 1610612736",
    "0.5K, 512",
    "1.0001KB, 1000",
    "1T, 1099511627776",
    "1TB, 1000000000000",
    "1P, 1125899906842624",
    "1PB, 1000000000000000",
    "1.50 GiB, 1610612736",
    "' 7 ', 7",
    "9223372036854775807, 9223372036854775807",
    "8191P, 9222246136947933184"
  })
  void sizesAreReadAsPeopleWriteThem(String text, long bytes) {
    assertThat(ByteSize.parse(text)).isEqualTo(ByteSize.ofBytes(bytes));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", " ", "K", "-1", "+1", "1,5G", "1.G", ".5G", "1e3", "0x10", "1..2", "1 0K", "٣"
      })
  void whatIsNoNumberIsRefusedWithExamples(String text) {
    assertThatThrownBy(() -> ByteSize.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("not a size: '" + text + "' (write it like 64K, 1.5GiB or 16MB)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1X", "1KK", "1Ki", "1Mbit", "1bytes", "1/"})
  void unknownUnitsAreNamed(String text) {
    assertThatThrownBy(() -> ByteSize.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("unknown unit '" + text.substring(1) + "' in '" + text + "'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"9223372036854775808", "8192P", "9999999999T", "9007199254740992K"})
  void sizesThatDoNotFitAreRefused(String text) {
    assertThatThrownBy(() -> ByteSize.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("size too large: '" + text + "' (below 8 EiB)");
  }

  @Test
  void endlessDigitsAreRefusedWithoutArithmetic() {
    assertThatThrownBy(() -> ByteSize.parse("1".repeat(1_000_000)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void negativeSizesDoNotExist() {
    assertThatThrownBy(() -> ByteSize.ofBytes(-1)).hasMessage("negative size: -1");
  }

  @Test
  void sizesArePrintedForPeople() {
    assertThat(ByteSize.ofBytes(1610612736)).hasToString("1.50 GiB");
  }

  @Test
  void sizesCompareByBytes() {
    assertThat(ByteSize.parse("1MB")).isLessThan(ByteSize.parse("1M"));
    assertThat(ByteSize.parse("1K")).isEqualByComparingTo(ByteSize.ofBytes(1024));
  }
}
