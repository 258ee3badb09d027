package io.fdt.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Which streams count as stuck, and which are kept open; of streams nothing but their times. */
class StreamSetTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long STUCK = 20 * SECOND;

  private final StreamSet streams = new StreamSet();

  private StreamSet.Lane lane() {
    streams.add(null, 0);
    return streams.lanes().get(streams.size() - 1);
  }

  /**
   * All wait, as while the receiver's disk does nothing: that the parked one is alive says nothing.
   */
  @Test
  void aParkedStreamThatIsKeptOpenDoesNotMakeOthersStuck() {
    StreamSet.Lane active = lane();
    StreamSet.Lane parked = lane();
    active.unacknowledged = 1;
    active.moved(SECOND);
    parked.keptOpen(29 * SECOND);
    assertThat(streams.stuck(30 * SECOND, STUCK)).isEmpty();

    streams.add(null, 29 * SECOND); // nor does one that has only been opened
    assertThat(streams.stuck(30 * SECOND, STUCK)).isEmpty();

    parked.moved(29 * SECOND);
    assertThat(streams.stuck(30 * SECOND, STUCK)).containsExactly(active);
  }

  @Test
  void whatWasGivenNothingForLongIsKeptOpenOnceInThatTime() {
    StreamSet.Lane active = lane();
    StreamSet.Lane parked = lane();
    active.unacknowledged = 1;
    assertThat(streams.silent(11 * SECOND, 10 * SECOND)).containsExactly(parked);
    parked.keptOpen(11 * SECOND);
    assertThat(streams.silent(12 * SECOND, 10 * SECOND)).isEmpty();
    assertThat(streams.silent(22 * SECOND, 10 * SECOND)).containsExactly(parked);
  }
}
