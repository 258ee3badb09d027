package io.fdt.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.tuning.Tuning;
import java.io.InputStream;
import org.junit.jupiter.api.Test;

/** What is asked for, and what it is made of. */
class TransferPlanTest {
  private static TransferRequest.Builder push() {
    return TransferRequest.push()
        .destination("/y")
        .tuneStreams()
        .tuneReaders()
        .congestion(Tuning.AUTO);
  }

  /** Its bytes come one after another; a second reader would be at the wrong place. */
  @Test
  void aStreamIsReadByOneWhateverIsFoundOut() {
    TransferPlan plan = TransferPlan.of(push().input(InputStream.nullInputStream()).build());
    assertThat(plan.settings().threadsPerDisk()).isEqualTo(1);
    assertThat(plan.tuning()).isEqualTo(new Tuning(true, 0, false, Tuning.AUTO));
    assertThat(plan.startingWith(7).tuning()).isEqualTo(new Tuning(true, 7, false, Tuning.AUTO));
  }

  @Test
  void aFileIsReadByAsManyAsAreFoundToBeBest() {
    assertThat(TransferPlan.of(push().source("x").build()).tuning().readers()).isTrue();
  }
}
