package io.fdt.service.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Links in virtual time: how many tasks at once they end up with. */
class LinkPaceTest {
  private static final double MIB = 1 << 20;

  private long now = 1_700_000_000_000L;
  private LinkPace pace = LinkPace.begin(now);

  /** A minute in which as many tasks run as may, at the rate that the link has with so many. */
  private void minute(IntToDoubleFunction rate, double success, Random random) {
    for (int second = 0; second < 60; second += 5) {
      now += 5000;
      pace = pace.moved((long) (5 * rate.applyAsDouble(pace.places())), pace.places());
      if (second % 10 == 0) {
        for (int i = 0; i < pace.places(); i++) {
          pace = pace.ended(random.nextDouble() < success);
        }
      }
      pace = pace.look(now);
    }
  }

  private void minutes(int count, IntToDoubleFunction rate, double success) {
    Random random = new Random(5);
    for (int i = 0; i < count; i++) {
      minute(rate, success, random);
    }
  }

  @Test
  void itGrowsWhileTheLinkGetsFaster() {
    minutes(60, places -> MIB * Math.min(places, 10), 1);
    assertThat(pace.places()).isBetween(9, 12);
    minutes(60, places -> MIB * Math.min(places, 10), 1);
    assertThat(pace.places()).isBetween(9, 12);
  }

  @Test
  void itShrinksWhereMoreTasksMakeItSlower() {
    minutes(60, places -> places <= 4 ? MIB * places : MIB * 16 / places, 1);
    assertThat(pace.places()).isBetween(3, 6);
  }

  /** Success first: a fast link that fails gets fewer. */
  @Test
  void itShrinksWhereAttemptsFailHoweverFastTheyAre() {
    minutes(30, places -> MIB * places, 1);
    int before = pace.places();
    minutes(10, places -> MIB * places, 0.7);
    assertThat(pace.places()).isLessThan(before);
    minutes(10, places -> MIB * places, 0.1);
    assertThat(pace.places()).isEqualTo(1);
    minutes(30, places -> MIB * places, 1);
    assertThat(pace.places()).as("it recovers").isGreaterThan(10);
  }

  @Test
  void aDeadLinkIsNoticedBeforeTheMinuteIsOver() {
    LinkPace wide = new LinkPace(16, now, 0, 0, 0, false, now, List.of());
    for (int i = 0; i < LinkPace.FEW; i++) {
      wide = wide.ended(false);
    }
    assertThat(wide.look(now + 1).places()).isEqualTo(8);
  }

  /** Windows of a minute in which 4 tasks ran; 3 of them had moved 100 bytes a second. */
  @ParameterizedTest
  @CsvSource({
    "9, 1, 200, 0, 0, 5", // 90 % are enough, and the link still grows
    "8, 1, 200, 0, 0, 3",
    "9, 0, 104, 0, 0, 3", // not 5 % faster than with 3
    "9, 0, 106, 0, 0, 5",
    "9, 0, 200, 205, 0, 4", // with 5 it was no faster
    "9, 0, 200, 211, 0, 5",
    "9, 0, 200, 205, 600000, 5", // that was ten minutes ago
  })
  void aWindowDecides(
      long succeeded, long failed, long rate, long rateOf5, long sinceTry, int expected) {
    List<Long> rates = List.of(0L, 0L, 100L, 0L, rateOf5);
    LinkPace window =
        new LinkPace(4, now, succeeded, failed, rate * 60, true, now + 60_000 - sinceTry, rates);

    assertThat(window.look(now + 60_000).places()).isEqualTo(expected);
  }

  @Test
  void aLinkThatIsNotFullTeachesNothing() {
    for (int i = 0; i < 100; i++) {
      now += 60_000;
      pace = pace.moved(1000, 1).ended(true).look(now);
    }
    assertThat(pace.places()).isEqualTo(LinkPace.FIRST);
  }

  @Test
  void itStaysWithinItsBoundsWhateverHappens() {
    for (long seed = 0; seed < 50; seed++) {
      Random random = new Random(seed);
      pace = LinkPace.begin(now);
      for (int step = 0; step < 2000; step++) {
        now += random.nextInt(120_000) - 10_000; // clocks are put back, too
        pace =
            switch (random.nextInt(3)) {
              case 0 -> pace.moved(random.nextInt(1 << 30), random.nextInt(70));
              case 1 -> pace.ended(random.nextBoolean());
              default -> pace.look(now);
            };
        assertThat(pace.places()).as("seed %d", seed).isBetween(1, LinkPace.MOST);
        assertThat(LinkPace.ofText(pace.text())).contains(pace);
      }
    }
  }

  @Test
  void whatIsStoredIsChecked() {
    for (String bad : List.of("", "x", "0 1 1 1 1 1 1 -", "65 1 1 1 1 1 1 -", "2 1 1 1 1 1 1 x")) {
      assertThat(LinkPace.ofText(bad)).as(bad).isEmpty();
    }
  }
}
