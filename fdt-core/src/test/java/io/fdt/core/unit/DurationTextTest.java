package io.fdt.core.unit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DurationTextTest {
  @ParameterizedTest
  @CsvSource({
    "PT0S, 0.0 s",
    "PT-5S, 0.0 s",
    "PT0.05S, 0.1 s",
    "PT12.3S, 12.3 s",
    "PT59.949S, 59.9 s",
    "PT59.95S, 1 min 00 s",
    "PT60S, 1 min 00 s",
    "PT65.4S, 1 min 05 s",
    "PT59M59.4S, 59 min 59 s",
    "PT59M59.5S, 1 h 00 min",
    "PT1H2M59S, 1 h 02 min",
    "PT23H59M59S, 23 h 59 min",
    "PT51H59M, 2 d 03 h",
    "PT87600H, 3650 d 00 h",
    "PT9223372036854775807S, 106751991167300 d 15 h"
  })
  void durationsArePrintedForPeople(Duration duration, String text) {
    assertThat(DurationText.format(duration)).isEqualTo(text);
  }
}
