package io.fdt.cli.run.copy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.option.route.ServerAddress;
import io.fdt.cli.option.route.ViaOptions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which of the measured ways is taken. */
class FastestWayTest {
  private static FastestWay.Measured measured(String relay, double bytesPerSecond) {
    Optional<ViaOptions.Relay> via =
        relay.isEmpty()
            ? Optional.empty()
            : Optional.of(new ViaOptions.Relay(new ServerAddress(relay, 1), Optional.empty()));
    return new FastestWay.Measured(via, bytesPerSecond, relay);
  }

  /** Negative: nothing gets through. */
  @ParameterizedTest
  @CsvSource({
    "1000, 1099, 0, ''", // not a tenth faster
    "1000, 1101, 0, one",
    "1000, 2000, 2001, two", // of relays the faster one
    "1000, 2001, 2000, one",
    "-1, 1, -1, one",
    "-1, -1, -1, ''",
  })
  void aRelayIsTakenWhereItIsATenthFaster(double direct, double one, double two, String taken) {
    List<FastestWay.Measured> all =
        List.of(measured("", direct), measured("one", one), measured("two", two));

    assertThat(FastestWay.best(all).text()).isEqualTo(taken);
  }
}
