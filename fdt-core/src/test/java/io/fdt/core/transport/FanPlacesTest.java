package io.fdt.core.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FanPlacesTest {
  @Test
  void theSumOfAllPlacesIsTheNumberOfConnections() {
    for (int streams = 1; streams <= 128; streams++) {
      for (int connections = streams; connections <= Math.min(128, 64 * streams); connections++) {
        Fan fan = new Fan(connections, streams);
        int[] all = IntStream.range(0, streams).map(fan::ofPlace).toArray();
        assertThat(IntStream.of(all).sum()).isEqualTo(connections);
        assertThat(IntStream.of(all).max().orElseThrow())
            .as("as even as possible")
            .isLessThanOrEqualTo(IntStream.of(all).min().orElseThrow() + 1);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"1,2", "0,0", "129,100", "65,1", "8,0", "-1,-1"})
  void whatCannotBeIsRefused(int connections, int streams) {
    assertThatThrownBy(() -> new Fan(connections, streams))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aStreamThatIsReplacedLeavesItsPlaceToTheNext() {
    FanPlaces places = new FanPlaces(new Fan(8, 3));
    List<FanPlaces.Place> taken = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      taken.add(places.take());
    }
    assertThat(taken.stream().mapToInt(FanPlaces.Place::connections).sum()).isEqualTo(8);

    places.giveBack(taken.get(1));
    assertThat(places.take()).isEqualTo(taken.get(1));
    assertThat(places.take().number()).as("more streams than there are places").isZero();
  }
}
