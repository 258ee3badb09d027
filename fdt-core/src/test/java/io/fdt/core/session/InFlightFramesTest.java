package io.fdt.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class InFlightFramesTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final int ACTIVE = 1;
  private static final int PARKED = 2;

  private final InFlightFrames<String> streams = new InFlightFrames<>();

  private List<SenderAction<String>> watch(long nowNanos) {
    List<SenderAction<String>> actions = new ArrayList<>();
    streams.watch(nowNanos, actions);
    return actions;
  }

  private void open() {
    streams.opened(ACTIVE, false, 0);
    streams.opened(PARKED, false, 0);
    streams.sent(ACTIVE, 0, new ReadJob.Pack<>(List.of()), SECOND);
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
    assertThat(watch(30 * SECOND)).containsExactly(new SenderAction.CloseStream<>(ACTIVE));
    assertThat(watch(21 * SECOND)).as("not yet").isEmpty();
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
