package io.fdt.cli.run.serve;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostNamesTest {
  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, true",
    "127.1.2.3, true",
    "::1, true",
    "[::1], true",
    "localhost, true",
    "192.0.2.1, false",
    "storage1, false",
  })
  void loopbackAddressesAreOfThisMachineOnly(String bound, boolean expected) {
    assertThat(HostNames.of(List.of(bound), Map.of()).areOfThisMachineOnly()).isEqualTo(expected);
  }
}
