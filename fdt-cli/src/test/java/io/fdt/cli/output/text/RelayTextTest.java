package io.fdt.cli.output.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.client.RelayFigures;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The lines of relays in an explanation. */
class RelayTextTest {
  private static final RelayFigures.Flow UP =
      new RelayFigures.Flow(3 << 20, 0.75, 20_500, 1000, 25, 0, 2 << 20, "bbr");

  private static final RelayFigures.Flow DOWN =
      new RelayFigures.Flow(1 << 20, 0.1, 0, 0, 0, 0, 0, "");

  private static String line(boolean isPush) {
    RelayFigures relay = new RelayFigures("r:1", "far:2", 8, UP, DOWN);
    return RelayText.lines(List.of(relay), isPush).get(0);
  }

  @Test
  void aLineHasWhatTheRelayPassedOnAndHowItWent() {
    assertThat(line(true))
        .isEqualTo(
            "relay r:1: passed on 3.00 MiB over 8 connections to far:2 (bbr), round trip to far:2"
                + " 20.5 ms, 2.5000 % of segments sent again, held up to 2.00 MiB; the part to"
                + " far:2 was the slower one: the relay waited for it 75 % of the time");
  }

  @Test
  void aRelayThatWaitsForDataSaysSo() {
    assertThat(line(false))
        .isEqualTo(
            "relay r:1: passed on 1.00 MiB over 8 connections to this end; the part before it was"
                + " the slower one: the relay waited for it 90 % of the time");
  }
}
