package io.fdt.client.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.client.NettestRequest;
import io.fdt.client.TransferRequest;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Operand;
import io.fdt.core.model.Tuning;
import io.fdt.core.unit.ByteSize;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Requests to the server, and the work that they are made of. */
class TransferPlanTest {
  private static final BytePath TO = BytePath.of("/y");

  private static TransferRequest.Builder push() {
    return TransferRequest.push()
        .destination("/y")
        .tuneStreams()
        .tuneReaders()
        .congestion(Tuning.AUTO);
  }

  private static TransferRequest.Builder plain() {
    return TransferRequest.push().source("x").destination(TO);
  }

  /** Its bytes come one after another; a second reader would be at the wrong offset. */
  @Test
  void aStreamIsReadByOneWhateverIsFoundOut() {
    TransferPlan plan = TransferPlan.of(push().input(InputStream.nullInputStream()).build());
    assertThat(plan.spec().readersPerDisk()).isEqualTo(1);
    assertThat(plan.spec().tuning()).isEqualTo(new Tuning(true, 0, false, Tuning.AUTO));
    assertThat(plan.startingWith(7).spec().tuning())
        .isEqualTo(new Tuning(true, 7, false, Tuning.AUTO));
  }

  /** 12 streams of ten segments, which double twice, are more than 1 MiB. */
  @Test
  void aLongPathGetsMoreStreamsAndIsTuned() {
    TransferPlan plan = TransferPlan.of(plain().build());
    TransferPlan far = plan.over(Duration.ofMillis(150));
    assertThat(plan.spec().streams()).isEqualTo(4);
    assertThat(far.spec().streams()).isEqualTo(12);
    assertThat(far.spec().tuning()).isEqualTo(new Tuning(true, 0, false, Tuning.AUTO));
    TransferRequest pull = TransferRequest.pull().source("/x").destination("y").build();
    assertThat(TransferPlan.of(pull).open().getTellState()).isFalse();
    assertThat(TransferPlan.of(pull).over(Duration.ofMillis(150)).open().getTellState()).isTrue();
    assertThat(plan.over(Duration.ofMillis(5))).isSameAs(plan);
    assertThat(plan.over(Duration.ZERO)).as("not known").isSameAs(plan);
  }

  @Test
  void whoChoosesTheStreamsGetsThose() {
    for (TransferRequest request :
        List.of(
            plain().streams(4).build(),
            plain().streams(1).build(),
            plain().tuneStreams().build(),
            plain().tuneStreams().startStreams(6).streams(8).build(),
            plain().streams(7).build().with(List.of(Operand.of(BytePath.of("z"))), TO))) {
      TransferPlan plan = TransferPlan.of(request);
      assertThat(plan.over(Duration.ofMillis(150))).isSameAs(plan);
    }
    TransferPlan test =
        TransferPlan.of(
            new NettestRequest(
                TransferRequest.Direction.PULL,
                4,
                Duration.ofSeconds(1),
                ByteSize.ofBytes(1 << 20),
                ByteSize.ofBytes(0)));
    assertThat(test.over(Duration.ofMillis(150))).isSameAs(test);
  }

  @Test
  void noMoreAreOpenedWhereTheyWouldNotHelp() {
    for (TransferRequest request :
        List.of(
            plain().blockSize(ByteSize.ofBytes(2 << 20)).build(),
            TransferRequest.push().destination(TO).input(InputStream.nullInputStream()).build())) {
      TransferPlan plan = TransferPlan.of(request);
      assertThat(plan.over(Duration.ofMillis(150))).isSameAs(plan);
    }
  }

  @Test
  void aFileIsReadByAsManyAsAreFoundToBeBest() {
    assertThat(TransferPlan.of(push().source("x").build()).spec().tuning().readers()).isTrue();
  }
}
