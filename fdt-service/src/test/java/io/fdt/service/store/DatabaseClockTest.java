package io.fdt.service.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Clock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class DatabaseClockTest {
  private static final long START = 1_700_000_000_000L;

  private long databaseMillis = START;
  private long steadyNanos = -12_345_678;
  private boolean isAway;

  private long ask() {
    if (isAway) {
      throw new StoreException("away", null);
    }
    pass(Duration.ofMillis(4));
    long answer = databaseMillis;
    pass(Duration.ofMillis(4));
    return answer;
  }

  private void pass(Duration time) {
    databaseMillis += time.toMillis();
    steadyNanos += time.toNanos();
  }

  @Test
  void itIsTheTimeOfTheDatabaseWhateverTheMachineSays() {
    DatabaseClock clock = new DatabaseClock(this::ask, () -> steadyNanos);
    assertThat(clock.millis()).isBetween(databaseMillis - 1, databaseMillis + 1);
    pass(Duration.ofHours(3));
    assertThat(clock.millis()).isBetween(databaseMillis - 1, databaseMillis + 1);

    databaseMillis += 5000; // somebody has set it
    clock.look();
    assertThat(clock.millis()).isBetween(databaseMillis - 1, databaseMillis + 1);
    assertThat(clock.instant().toEpochMilli()).isEqualTo(clock.millis());
  }

  @Test
  void itGoesOnWhileTheDatabaseIsAway() {
    DatabaseClock clock = new DatabaseClock(this::ask, () -> steadyNanos);
    isAway = true;
    assertThatThrownBy(clock::look).isInstanceOf(StoreException.class);
    pass(Duration.ofMinutes(10));
    assertThat(clock.millis()).isBetween(databaseMillis - 1, databaseMillis + 1);
  }

  @Test
  void aDatabaseOfOneProcessHasTheClockOfItsMachine(
      @org.junit.jupiter.api.io.TempDir java.nio.file.Path root) throws Exception {
    Clock machine = Clock.systemUTC();
    try (Database database = Database.open("jdbc:sqlite:" + root.resolve("db"))) {
      assertThat(DatabaseClock.of(database, machine)).isSameAs(machine);
    }
  }
}
