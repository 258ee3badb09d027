package io.fdt.core.engine.meter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.tuning.Bottleneck;
import io.fdt.core.tuning.Detail;
import io.fdt.core.tuning.DiskState;
import io.fdt.core.tuning.EndState;
import io.fdt.core.tuning.Observation;
import io.fdt.core.tuning.Sample;
import io.fdt.core.tuning.StreamState;
import io.fdt.core.wire.control.DiskDetails;
import io.fdt.core.wire.control.EndDetails;
import io.fdt.core.wire.control.SenderState;
import io.fdt.core.wire.control.SessionDetails;
import io.fdt.core.wire.control.StreamDetails;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a monitor is told, and what is believed of it. */
class DetailCodingTest {
  private static final EndState SENDER =
      new EndState(
          0.5,
          0.25,
          1L << 30,
          8L << 30,
          4L << 30,
          12 << 20,
          32 << 20,
          List.of(new DiskState("259:0", 0.75, 3, 2), new DiskState("8:0", 0.125, 0, 4)));

  private static Observation observation(EndState receiver, int streams) {
    List<StreamState> all =
        IntStream.range(0, streams)
            .mapToObj(n -> new StreamState(n, n % 2 == 0, 1L << 40, 150_000 + n, 2, 3, 4, 5, 6))
            .toList();
    Sample sample =
        new Sample(
            1.5, 1000, 8, 90_000, 3, 151_000, 150_000, 0, 0, 1, 0, 1, 0, 0, 0, 0, false, false);
    return new Observation(
        sample,
        Bottleneck.of(sample),
        2,
        "cubic",
        "",
        Optional.of(new Detail(SENDER, receiver, 12_345, 6, streams, all)));
  }

  @Test
  void whatWasSeenArrives() throws FdtException {
    for (EndState receiver : List.of(SENDER, EndState.UNKNOWN)) {
      Observation seen = observation(receiver, 5);
      assertThat(Observations.decode(Observations.encode(seen).build())).isEqualTo(seen);
    }
  }

  @Test
  void theLargestMessageIsSmall() throws FdtException {
    EndState end =
        new EndState(
            1,
            1,
            1L << 50,
            1L << 50,
            1L << 50,
            1L << 50,
            1L << 50,
            Collections.nCopies(
                EndState.MOST_DISKS, new DiskState("x".repeat(64), 1, 1 << 30, 64)));
    SenderState message = Observations.encode(observation(end, Detail.MOST_STREAMS)).build();
    assertThat(Observations.decode(message).detail()).isPresent();
    assertThat(message.getSerializedSize()).isLessThan(8 << 10);
  }

  /** What cannot be. */
  private static Stream<UnaryOperator<SessionDetails.Builder>> lies() {
    StreamDetails stream = StreamDetails.getDefaultInstance();
    DiskDetails disk = DiskDetails.getDefaultInstance();
    return Stream.of(
        d -> d.setBlocks(-1),
        d -> d.setBlocksRepeated((1L << 50) + 1),
        d -> d.setOpenStreams(129),
        d -> d.setOpenStreams(-1),
        d -> d.addAllStreams(Collections.nCopies(65, stream)),
        d -> d.addStreams(stream.toBuilder().setNumber(-1)),
        d -> d.addStreams(stream.toBuilder().setBytes(-1)),
        d -> d.addStreams(stream.toBuilder().setRoundTripMicros(-1)),
        d -> d.addStreams(stream.toBuilder().setLeastRoundTripMicros(Long.MAX_VALUE)),
        d -> d.addStreams(stream.toBuilder().setSegments(-1)),
        d -> d.addStreams(stream.toBuilder().setRetransmits(-1)),
        d -> d.addStreams(stream.toBuilder().setWindowBytes(-1)),
        d -> d.addStreams(stream.toBuilder().setQueuedBytes(Long.MAX_VALUE)),
        d -> d.setReceiver(EndDetails.newBuilder().setCpu(1001)),
        d -> d.setReceiver(EndDetails.newBuilder().setOwnCpu(-1)),
        d -> d.setSender(EndDetails.newBuilder().setProcessBytes(-1)),
        d -> d.setSender(EndDetails.newBuilder().setHostBytes(-1)),
        d -> d.setSender(EndDetails.newBuilder().setHostFreeBytes(-1)),
        d -> d.setSender(EndDetails.newBuilder().setWaitingBytes(-1)),
        d -> d.setSender(EndDetails.newBuilder().setBudgetBytes(-1)),
        d -> d.setSender(EndDetails.newBuilder().addAllDisks(Collections.nCopies(17, disk))),
        d -> d.setSender(ofDisk(disk.toBuilder().setName("x".repeat(65)))),
        d -> d.setSender(ofDisk(disk.toBuilder().setBusy(1001))),
        d -> d.setSender(ofDisk(disk.toBuilder().setWaiting(-1))),
        d -> d.setSender(ofDisk(disk.toBuilder().setThreads(-1))));
  }

  private static EndDetails.Builder ofDisk(DiskDetails.Builder disk) {
    return EndDetails.newBuilder().addDisks(disk);
  }

  @ParameterizedTest
  @MethodSource("lies")
  void nobodyIsInAStateThatCannotBe(UnaryOperator<SessionDetails.Builder> lie) {
    SenderState.Builder message = Observations.encode(observation(SENDER, 1));
    SenderState state = message.setDetails(lie.apply(message.getDetails().toBuilder())).build();
    assertThatThrownBy(() -> Observations.decode(state))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL));
  }

  @Test
  void theNameOfADiskIsOneLineWithoutControlCharacters() throws FdtException {
    EndDetails end =
        EndDetails.newBuilder().addDisks(DiskDetails.newBuilder().setName("a\n\u001b[2J")).build();
    assertThat(DetailCoding.decode(end).disks().get(0).name()).doesNotContain("\n", "\u001b");
  }
}
