package io.fdt.cli.output.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.tuning.Bottleneck;
import io.fdt.core.tuning.Observation;
import io.fdt.core.tuning.Sample;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What limits a transfer, in words. */
class ExplanationTest {
  private final Explanation explanation = new Explanation();

  private static Observation seen(Bottleneck limit, int streams, String change) {
    Sample sample =
        new Sample(
            1,
            60_000_000,
            streams,
            50_000,
            5,
            152_000,
            150_000,
            0,
            0.8,
            0.9,
            0.1,
            0.4,
            0.2,
            0.3,
            0.25,
            0.3,
            false,
            false);
    return new Observation(sample, limit, 2, "cubic", change);
  }

  @Test
  void aLimitIsToldOfOnceWhenItHasLastedForTwoSeconds() {
    List<String> told = new ArrayList<>();
    told.addAll(explanation.add(seen(Bottleneck.SOURCE_DISK, 4, "")));
    for (int i = 0; i < 5; i++) {
      told.addAll(explanation.add(seen(Bottleneck.SEND_BUFFER, 4, "")));
    }
    assertThat(told)
        .containsExactly(
            "limited by the sender's TCP buffer: 57.2 MiB/s, 4 streams, round trip 152 ms (least"
                + " 150 ms), disks: source 40 %, destination 20 %, processors: sender 30 %,"
                + " receiver 25 %");
  }

  @Test
  void aChangeIsToldOfAtOnce() {
    assertThat(explanation.add(seen(Bottleneck.SEND_BUFFER, 4, "8 streams in place of 4 (why)")))
        .containsExactly("8 streams in place of 4 (why)");
  }

  @Test
  void theSummaryHasTheSharesOfTheTime() {
    for (int i = 0; i < 8; i++) {
      explanation.add(seen(Bottleneck.SEND_BUFFER, i < 4 ? 4 : 8, ""));
    }
    explanation.add(seen(Bottleneck.NETWORK, 8, ""));
    explanation.add(seen(Bottleneck.NETWORK, 8, ""));

    assertThat(explanation.most()).contains(Bottleneck.SEND_BUFFER);
    assertThat(explanation.summary())
        .containsExactly(
            "what limited it: the sender's TCP buffer 80 %, the network 20 % of 10.0 s",
            "  network: 4 to 8 streams, cubic, round trip 152 ms (least 150 ms), 0.0100 % of"
                + " segments sent again",
            "  disks: source busy 40 % (2 readers a disk), destination busy 20 %; processors:"
                + " sender 30 %, receiver 25 %, enough for 23 streams like these");
  }

  @Test
  void whatWasOverAtOnceHadNoLimit() {
    assertThat(explanation.most()).isEmpty();
    assertThat(explanation.summary())
        .containsExactly("what limited it: it was over within a second");
  }
}
