package io.fdt.server.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.wire.SessionId;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which deliveries are tried, and when again. */
class DeliveryLineTest {
  private final DeliveryLine line = new DeliveryLine();
  private final List<SessionId> places = new ArrayList<>();

  private SessionId place(int number) {
    while (places.size() <= number) {
      places.add(SessionId.random(new SecureRandom()));
    }
    return places.get(number);
  }

  @Test
  void sixteenDeliveriesAreTriedAtTheSameTime() {
    for (int number = 0; number < 20; number++) {
      line.add(place(number));
    }
    for (int number = 0; number < 16; number++) {
      assertThat(line.next()).contains(place(number));
      line.begin(place(number));
    }

    assertThat(line.next()).as("16 have their turn").isEmpty();
    line.end(place(3));

    assertThat(line.next()).contains(place(16));
  }

  @Test
  void aDeliveryWaitsOnceAndNotWhileItIsTried() {
    line.add(place(0));
    line.add(place(0));
    assertThat(line.next()).contains(place(0));
    line.begin(place(0));
    line.add(place(0));

    assertThat(line.next()).isEqualTo(Optional.empty());
    assertThat(line.hasTurn(place(0))).isTrue();
  }

  @Test
  void pausesDoubleUpToAMinute() {
    List<Long> seconds = new ArrayList<>();
    for (int failed = 1; failed <= 8; failed++) {
      seconds.add(DeliveryLine.pause(failed).toSeconds());
    }

    assertThat(seconds).containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 60L, 60L);
    assertThat(DeliveryLine.pause(Integer.MAX_VALUE)).isEqualTo(Duration.ofMinutes(1));
  }

  @Test
  void anAttemptMakesWayForOthersAfterAMinute() {
    assertThat(DeliveryLine.turn(Duration.ofDays(7))).isEqualTo(Duration.ofMinutes(1));
    assertThat(DeliveryLine.turn(Duration.ofSeconds(3))).isEqualTo(Duration.ofSeconds(3));
  }
}
