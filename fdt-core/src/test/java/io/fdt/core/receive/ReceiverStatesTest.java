package io.fdt.core.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.engine.DiskScheduler;
import io.fdt.core.engine.StreamSet;
import io.fdt.core.engine.meter.Observations;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.ReceiverState;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a receiver tells of itself, and what is believed of it. */
class ReceiverStatesTest {
  private static final long SECOND = 1_000_000_000L;

  @Test
  void itTellsOnceASecondHowMuchWaits() throws Exception {
    List<Control> sent = new ArrayList<>();
    Backpressure brake = new Backpressure(new StreamSet(), 1000);
    ReceiverStates states = new ReceiverStates(brake, new DiskScheduler("test", 1), 0);
    brake.add(250);
    for (long now = 0; now <= 3 * SECOND; now += SECOND / 10) {
      states.tick(now, message -> sent.add(message.build()));
    }
    assertThat(sent).hasSize(3);
    for (Control message : sent) {
      assertThat(message.getReceiverState().getWaiting()).isEqualTo(250);
      Observations.check(message.getReceiverState());
    }
  }

  @ParameterizedTest
  @CsvSource({"10001, 0, 0", "0, 1001, 0", "-1, 0, 0", "0, -1, 0", "0, 0, 1001", "0, 0, -1"})
  void nobodyIsBusierThanThat(int waiting, int cpu, int diskBusy) {
    ReceiverState state =
        ReceiverState.newBuilder().setWaiting(waiting).setCpu(cpu).setDiskBusy(diskBusy).build();
    assertThatThrownBy(() -> Observations.check(state))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL));
  }
}
