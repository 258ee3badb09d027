package io.fdt.core.engine.meter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.tuning.Bottleneck;
import io.fdt.core.tuning.Observation;
import io.fdt.core.tuning.Sample;
import io.fdt.core.wire.control.SenderState;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a sender tells of itself, and what is believed of it. */
class ObservationsTest {
  private static final Observation SEEN =
      new Observation(
          new Sample(
              1.5, 1000, 8, 90_000, 3, 151_000, 150_000, 0.25, 0.5, 1, 0.125, 0.75, 0.5, 0.25,
              0.375, 0.125, false, true),
          Bottleneck.SEND_BUFFER,
          2,
          "cubic",
          "8 streams in place of 4 (more may help)");

  /** What cannot be. */
  private static Stream<UnaryOperator<SenderState.Builder>> lies() {
    return Stream.of(
        s -> s.setMillis(0),
        s -> s.setMillis(-1),
        s -> s.setBytes(-1),
        s -> s.setBytes((1L << 50) + 1),
        s -> s.setSegments(Long.MAX_VALUE),
        s -> s.setRetransmits(Long.MAX_VALUE),
        s -> s.setRoundTripMicros(Long.MAX_VALUE),
        s -> s.setLeastRoundTripMicros(Long.MAX_VALUE),
        s -> s.setOwnCpu(1001),
        s -> s.setStreams(129),
        s -> s.setReaders(65),
        s -> s.setSendBuffer(1001),
        s -> s.setSenderCpu(-1),
        s -> s.setReceiverFill(10_001),
        s -> s.setSegments(-1),
        s -> s.setRoundTripMicros(-1),
        s -> s.setCongestion("x".repeat(16)));
  }

  @Test
  void whatWasSeenArrives() throws FdtException {
    assertThat(Observations.decode(Observations.encode(SEEN).build())).isEqualTo(SEEN);
  }

  @ParameterizedTest
  @MethodSource("lies")
  void noSenderIsInAStateThatCannotBe(UnaryOperator<SenderState.Builder> lie) {
    SenderState state = lie.apply(Observations.encode(SEEN)).build();
    assertThatThrownBy(() -> Observations.decode(state))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL));
  }

  @Test
  void whatASenderSaysIsOneLineWithoutControlCharacters() throws FdtException {
    SenderState state = Observations.encode(SEEN).setChange("a\n\u001b[2Jb").build();
    assertThat(Observations.decode(state).change()).doesNotContain("\n", "\u001b");
  }
}
