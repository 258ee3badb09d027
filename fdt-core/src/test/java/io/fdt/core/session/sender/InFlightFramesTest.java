package io.fdt.core.session.sender;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.FdtException;
import io.fdt.core.wire.control.FrameAcks;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class InFlightFramesTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final int ACTIVE = 1;
  private static final int PARKED = 2;
  private static final ReadJob<String> SMALL = new ReadJob.Pack<>(List.of(), false);
  private static final ReadJob<String> MEBIBYTE = new ReadJob.Block<>(null, 0, 1 << 20, true);

  private final InFlightFrames<String> streams = new InFlightFrames<>();

  private List<SenderAction<String>> watch(long nowNanos) {
    List<SenderAction<String>> actions = new ArrayList<>();
    streams.watch(nowNanos, actions);
    return actions;
  }

  private void open() {
    streams.opened(ACTIVE, false, 0);
    streams.opened(PARKED, false, 0);
    streams.sent(ACTIVE, 0, SMALL, SECOND);
    streams.moved(ACTIVE, SECOND);
  }

  /**
   * All wait, as while the receiver's disk does nothing: that the parked one is alive says nothing.
   */
  @Test
  void aParkedStreamThatIsKeptOpenDoesNotMakeOthersStuck() {
    open();
    streams.keptOpen(PARKED, 29 * SECOND);
    assertThat(watch(30 * SECOND)).isEmpty();

    streams.opened(3, false, 29 * SECOND); // nor does one that has only been opened
    assertThat(watch(30 * SECOND)).isEmpty();

    streams.moved(PARKED, 29 * SECOND);
    assertThat(watch(30 * SECOND)).as("nothing arrives anywhere").isEmpty();
  }

  @Test
  void aStreamThatHearsNothingIsClosedWhileMuchArrivesOnOthers() throws FdtException {
    open();
    for (int second = 1; second <= 20; second++) {
      acknowledgeOne(PARKED, second, SMALL, second * SECOND);
    }
    assertThat(watch(20 * SECOND)).as("not yet").isEmpty();
    assertThat(watch(22 * SECOND)).containsExactly(new SenderAction.CloseStream<>(ACTIVE));
  }

  /** 32 streams share 8 Mbit/s: a block of 1 MiB is under way for half a minute. */
  @Test
  void onASlowPathNoStreamIsStuckBecauseItsBlockTakesLong() throws FdtException {
    int count = 32;
    for (int stream = 0; stream < count; stream++) {
      streams.opened(stream, false, 0);
      streams.sent(stream, 0, MEBIBYTE, 0);
      streams.moved(stream, 0);
    }
    for (int second = 1; second <= 120; second++) {
      assertThat(watch(second * SECOND)).as("after %d s", second).isEmpty();
      if (second > 20) {
        int stream = second % count;
        long number = (second - 21L) / count;
        acknowledge(stream, number, second * SECOND);
        streams.sent(stream, number + 1, MEBIBYTE, second * SECOND);
      }
    }
  }

  private void acknowledgeOne(int stream, long number, ReadJob<String> job, long nowNanos)
      throws FdtException {
    streams.sent(stream, number, job, nowNanos);
    acknowledge(stream, number, nowNanos);
  }

  private void acknowledge(int stream, long number, long nowNanos) throws FdtException {
    FrameAcks acks =
        FrameAcks.newBuilder().setStream(stream).addWritten(number).addWritten(1).build();
    List<ReadJob<String>> written = new ArrayList<>();
    streams.acknowledge(acks, nowNanos, written, new ArrayList<>());
    assertThat(written).hasSize(1);
  }

  @Test
  void whatWasGivenNothingForLongIsKeptOpenOnceInThatTime() {
    open();
    assertThat(watch(11 * SECOND)).containsExactly(new SenderAction.KeepOpen<>(PARKED));
    streams.keptOpen(PARKED, 11 * SECOND);
    assertThat(watch(12 * SECOND)).isEmpty();
    assertThat(watch(22 * SECOND)).containsExactly(new SenderAction.KeepOpen<>(PARKED));
  }
}
