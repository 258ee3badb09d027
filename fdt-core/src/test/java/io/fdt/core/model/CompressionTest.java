package io.fdt.core.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CompressionTest {
  @ParameterizedTest
  @CsvSource({
    "off, off",
    "auto, auto",
    "lz4, lz4",
    "zstd, zstd:3",
    "zstd:1, zstd:1",
    "zstd:19, zstd:19",
    "deflate, deflate:6",
    "deflate:9, deflate:9"
  })
  void isReadAndWritten(String text, String written) {
    Compression compression = Compression.parse(text);
    assertThat(compression).hasToString(written);
    assertThat(Compression.parse(written)).isEqualTo(compression);
  }

  @ParameterizedTest
  @CsvSource({
    "zstd:20, 'zstd has levels 1 to 19, not 20'",
    "zstd:0, 'zstd has levels 1 to 19, not 0'",
    "deflate:10, 'deflate has levels 1 to 9, not 10'",
    "lz4:3, lz4 has no levels",
    "auto:1, auto has no levels",
    "zstd:fast, is not a number",
    "zstd:, is not a number",
    "gzip, 'is not a compression: write auto, off, zstd'"
  })
  void otherTextIsRefusedWithWhatIsPossible(String text, String why) {
    assertThatThrownBy(() -> Compression.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(why);
  }

  @Test
  void onlyOffLeavesPayloadsAlone() {
    assertThat(Compression.OFF.isOn()).isFalse();
    assertThat(Compression.AUTO.isOn()).isTrue();
    assertThat(Compression.of(Compression.Method.ZSTD).isOn()).isTrue();
  }
}
