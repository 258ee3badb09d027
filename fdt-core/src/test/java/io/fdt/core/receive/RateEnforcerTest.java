package io.fdt.core.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.buffer.BlockAllocator;
import io.fdt.core.engine.StreamSet;
import io.fdt.core.engine.TestTransfer;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileName;
import io.fdt.core.send.PacedWriter;
import io.fdt.core.spec.Specs;
import io.fdt.core.storage.synthetic.SyntheticDestination;
import io.fdt.core.storage.synthetic.SyntheticSource;
import io.fdt.core.tuning.rate.RateSource;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.RateLimit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a receiver tells of its limit, and that a sender need not be believed. */
class RateEnforcerTest {
  private static final long TENTH = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long RATE = 10_000_000;

  private final Backpressure brake = new Backpressure(new StreamSet(), 1000);
  private final RateEnforcer hold = new RateEnforcer(brake);
  private final AtomicLong rate = new AtomicLong(RATE);
  private final List<Control> sent = new ArrayList<>();
  private long now;
  private long bytes;

  private void start(long known) {
    hold.limit(rate::get, known);
    hold.start(now, message -> sent.add(message.build()));
  }

  /** So much comes, a tenth of it in each tenth of a second, while streams are read. */
  private void second(long perSecond) {
    for (int i = 0; i < 10; i++) {
      now += TENTH;
      bytes += brake.isPulled() ? 0 : perSecond / 10;
      hold.tick(now, bytes, message -> sent.add(message.build()));
    }
  }

  @Test
  void aLimitIsToldOnceAndWheneverItChanges() {
    start(0);
    second(0);
    rate.set(5);
    second(0);
    rate.set(0);
    second(0);
    assertThat(sent)
        .extracting(message -> message.getRateLimit().getBytesPerSecond())
        .containsExactly(RATE, 5L, 0L);
  }

  @Test
  void whatTheRequestSaidIsNotToldAgain() {
    start(RATE);
    second(0);
    assertThat(sent).isEmpty();
  }

  @Test
  void whoKeepsTheRateIsNeverHeld() {
    start(0);
    for (int i = 0; i < 100; i++) {
      second(RATE);
      assertThat(brake.isPulled()).isFalse();
    }
  }

  @Test
  void whoDoesNotGetsNoMoreThanTheRate() {
    start(RATE);
    for (int i = 0; i < 100; i++) {
      second(7 * RATE);
    }
    // Half a second of tolerance, and what one look at the clock is too late.
    assertThat(bytes).isBetween(100 * RATE, 100 * RATE + RATE / 2 + 7 * RATE / 10);
  }

  @Test
  void whatComesToOtherMachinesCounts() {
    start(RATE);
    for (int second = 0; second < 10; second++) {
      hold.cameElsewhere(RATE / 2);
      second(RATE / 2);
    }
    assertThat(brake.isPulled()).isFalse();
    hold.cameElsewhere(5 * RATE);
    second(0);
    assertThat(brake.isPulled()).isTrue();
  }

  @Test
  void aSenderHasASecondToHearOfALowerRate() {
    start(0);
    second(RATE);
    rate.set(RATE / 10);
    second(RATE);
    assertThat(brake.isPulled()).isFalse();
    second(RATE);
    assertThat(brake.isPulled()).isTrue();
  }

  @Test
  void aSenderHasASecondToHearThatALimitBegins() {
    rate.set(0);
    start(0);
    second(50 * RATE);
    rate.set(RATE);
    second(50 * RATE);
    assertThat(brake.isPulled()).isFalse();
    second(RATE);
    assertThat(brake.isPulled()).isFalse();
    second(7 * RATE);
    assertThat(brake.isPulled()).isTrue();
  }

  /** Shares that go up and down all the time are no reason to believe what was said long ago. */
  @Test
  void onlyWhatWasToldInTheLastSecondCounts() {
    rate.set(100 * RATE);
    start(100 * RATE);
    second(RATE);
    long before = bytes;
    for (int tenth = 0; tenth < 200; tenth++) {
      rate.set(tenth % 2 == 0 ? RATE : RATE * 9 / 10);
      now += TENTH;
      bytes += brake.isPulled() ? 0 : 3 * RATE / 10;
      hold.tick(now, bytes, message -> sent.add(message.build()));
    }
    // 20 s at the higher of the two; 3 times that in the first of them, and half a second.
    assertThat(bytes - before).isBetween(19 * RATE, 24 * RATE);
  }

  @Test
  void whoWasFarTooFastDoesNotWaitForLong() {
    start(RATE);
    now += TENTH;
    bytes += 100 * RATE;
    hold.tick(now, bytes, message -> sent.add(message.build()));
    assertThat(brake.isPulled()).isTrue();
    second(0);
    second(0);
    assertThat(brake.isPulled()).isTrue();
    second(0);
    assertThat(brake.isPulled()).isFalse();
  }

  @Test
  void aLimitThatGoesLetsTheSenderGo() {
    start(RATE);
    second(20 * RATE);
    assertThat(brake.isPulled()).isTrue();
    rate.set(0);
    second(0);
    assertThat(brake.isPulled()).isFalse();
  }

  /** Either reason is enough to stop, and both must be gone to go on. */
  @Test
  void aFullReceiverIsNotReleasedByTheClock() {
    start(RATE);
    second(20 * RATE);
    brake.add(2000);
    for (int i = 0; i < 10; i++) {
      second(0);
    }
    assertThat(brake.isPulled()).isTrue();
    brake.remove(2000);
    assertThat(brake.isPulled()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, Long.MIN_VALUE})
  void noRateIsNegative(long value) {
    RateLimit message = RateLimit.newBuilder().setBytesPerSecond(value).build();
    assertThatThrownBy(() -> new PacedWriter(stream -> {}).onPeer(message, 0))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL));
  }

  /** Over real connections: with a sender that obeys, and one that never hears of the limit. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void noSenderIsFasterThanTheReceiverAllows(boolean obeys) throws Exception {
    long size = 64L << 20;
    long most = 32L << 20;
    SyntheticSource source = SyntheticSource.file(FileName.of("large"), size, List.of());
    SyntheticDestination destination = SyntheticDestination.verifying(List.of());
    RateSource limit = () -> most;
    long start = System.nanoTime();
    try (TestTransfer transfer =
        new TestTransfer(
            true,
            Specs.blocks(256 << 10),
            BlockAllocator.create(2),
            source,
            destination,
            limit,
            obeys,
            TestTransfer.DEADLINES)) {
      transfer.awaitLimit();
      transfer.dial(3);
      transfer.awaitGoodEnd();
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    assertThat(destination.bytesWritten()).isEqualTo(size);
    // Half a second may come early; blocks of which a part was read when streams were stopped.
    assertThat(size).isLessThan((long) ((seconds + 0.5) * most) + (4 << 20));
  }
}
