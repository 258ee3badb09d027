package io.fdt.core.tuning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.data.Offset.offset;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The figures of Kim and Huh for their host 5: 4.35 % at 30 ms, 61.83 % at the most. */
class CpuModelTest {
  private final CpuModel host5 = CpuModel.measured(4.35, 30, 61.83);

  @ParameterizedTest
  @CsvSource({
    "25, 5.17, 12", "35, 3.75, 16", "45, 2.96, 21", "55, 2.45, 25",
    "65, 2.09, 30", "75, 1.82, 34", "85, 1.62, 38", "95, 1.46, 42"
  })
  void itPredictsWhatThePaperPredicts(double roundTripMillis, double use, int connections) {
    assertThat(host5.useOfOne(roundTripMillis)).isCloseTo(use, offset(0.01));
    assertThat(host5.connections(roundTripMillis)).isEqualTo(connections);
  }

  @Test
  void aHostThatOneConnectionFillsHasRoomForOne() {
    assertThat(CpuModel.measured(90, 1, 85).connections(1)).isEqualTo(1);
  }

  @Test
  void whatWasNotMeasuredPredictsNothing() {
    assertThatThrownBy(() -> CpuModel.measured(0, 30, 60))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
