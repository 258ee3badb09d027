package io.fdt.server.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.model.Grant;
import io.fdt.core.unit.RateSchedule;
import java.net.InetAddress;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Requests that read files keep to the rates of the server. Time is an argument. */
class ReadPaceTest {
  private static final int PIECE = 65_536;

  /** Nanoseconds that 100 pieces take. */
  private static long nanosOfPieces(ReadPace.Turn turn) {
    long nowNanos = 1_000;
    for (int i = 0; i < 100; i++) {
      nowNanos += turn.nanosToWait(PIECE, nowNanos);
    }
    return nowNanos - 1_000;
  }

  private static ReadPace pace(ServerRates rates) throws Exception {
    return new ReadPace(
        rates,
        Grant.unlimited("reader", Instant.EPOCH),
        InetAddress.getByAddress(new byte[] {10, 0, 0, 1}));
  }

  @Test
  void withoutALimitNothingWaits() throws Exception {
    try (ServerRates rates = new ServerRates(RateSchedule.NONE, RateSchedule.NONE);
        ReadPace.Turn turn = pace(rates).begin()) {
      assertThat(nanosOfPieces(turn)).isZero();
    }
  }

  @Test
  void aLimitSpreadsPieces() throws Exception {
    try (ServerRates rates = new ServerRates(RateSchedule.parse("1MiB/s"), RateSchedule.NONE);
        ReadPace.Turn turn = pace(rates).begin()) {
      long sixSeconds = TimeUnit.SECONDS.toNanos(6);
      assertThat(nanosOfPieces(turn)).isBetween(sixSeconds, sixSeconds + sixSeconds / 20);
    }
  }

  @Test
  void twoReadersShareTheRateOfTheirClient() throws Exception {
    try (ServerRates rates = new ServerRates(RateSchedule.NONE, RateSchedule.parse("1MiB/s"));
        ReadPace.Turn one = pace(rates).begin();
        ReadPace.Turn two = pace(rates).begin()) {
      long twelveSeconds = TimeUnit.SECONDS.toNanos(12);
      assertThat(nanosOfPieces(one)).isBetween(twelveSeconds, twelveSeconds + twelveSeconds / 20);
      assertThat(nanosOfPieces(two)).isBetween(twelveSeconds, twelveSeconds + twelveSeconds / 20);
    }
  }

  @Test
  void whoHasReadGivesItsShareBack() throws Exception {
    try (ServerRates rates = new ServerRates(RateSchedule.parse("1MiB/s"), RateSchedule.NONE)) {
      pace(rates).begin().close();
      try (ReadPace.Turn turn = pace(rates).begin()) {
        long sixSeconds = TimeUnit.SECONDS.toNanos(6);
        assertThat(nanosOfPieces(turn)).isBetween(sixSeconds, sixSeconds + sixSeconds / 20);
      }
    }
  }
}
