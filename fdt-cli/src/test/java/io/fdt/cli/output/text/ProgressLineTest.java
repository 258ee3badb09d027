package io.fdt.cli.output.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.output.TerminalText;
import io.fdt.client.TransferProgress;
import io.fdt.core.model.TransferFigures;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ProgressLineTest {
  private static final long GIB = 1L << 30;
  private static final double GBIT_PER_SECOND = 125e6;

  /** 1.21 of 2.70 GiB after 3.25 s. */
  private static final TransferProgress HALFWAY =
      progress(GIB * 121 / 100, GIB * 270 / 100, 120, 3, 456, true, 4, 0);

  @Test
  void showsEverythingInEightyColumns() {
    assertThat(ProgressLine.render(HALFWAY, 3.41 * GBIT_PER_SECOND, 80))
        .isEqualTo(
            "[====>      ] 44% 1.21/2.70 GiB 407 MiB/s (mean 381) 0:04 left 123/456 files P=4");
  }

  @Test
  void neverExceedsTheWidthOfTheTerminal() {
    TransferProgress[] all = {
      HALFWAY,
      named(HALFWAY, "測定/データ測定測定測定測定"),
      progress(0, 0, 0, 0, 0, false, 0, 0),
      progress(
          Long.MAX_VALUE / 2, Long.MAX_VALUE, 1_234_567_890, 0, 9_876_543_210L, false, 128, 3600),
      progress(5, 10, 1, 0, 2, true, 1, 6)
    };
    for (TransferProgress progress : all) {
      for (int width = 1; width < 200; width++) {
        String line = ProgressLine.render(progress, GBIT_PER_SECOND, width);
        assertThat(TerminalText.width(line)).as(line).isLessThanOrEqualTo(width);
      }
    }
  }

  @Test
  void leavesOutTheLeastImportantFirst() {
    assertThat(ProgressLine.render(HALFWAY, 3.41 * GBIT_PER_SECOND, 60))
        .isEqualTo("[===>    ] 44% 1.21/2.70 GiB 407 MiB/s 0:04 left 123/456 P=4");
    assertThat(ProgressLine.render(HALFWAY, 3.41 * GBIT_PER_SECOND, 30))
        .isEqualTo("[======>       ] 44% 407 MiB/s");
    assertThat(ProgressLine.render(HALFWAY, 3.41 * GBIT_PER_SECOND, 12)).isEqualTo("44%");
  }

  @Test
  void totalsThatGrowAreMarked() {
    TransferProgress walking = progress(GIB, 2 * GIB, 1, 0, 10, false, 4, 0);

    assertThat(ProgressLine.plain(walking, GBIT_PER_SECOND))
        .isEqualTo(
            "≤50%, 1.00/≥2.00 GiB, 119 MiB/s (mean 315), ≥0:09 left, 1/≥10 files, 4 streams");
  }

  @Test
  void aStallOfMoreThanFiveSecondsIsSaid() {
    assertThat(ProgressLine.plain(progress(1, 2, 0, 0, 1, true, 4, 5), 0))
        .doesNotContain("no data");
    assertThat(ProgressLine.plain(progress(1, 2, 0, 0, 1, true, 4, 7), 0))
        .isEqualTo("50%, 1/2 B, no data for 7 s, 0/1 files, 4 streams");
    assertThat(ProgressLine.render(progress(1, 2, 0, 0, 1, true, 4, 7), 0, 40))
        .contains("no data for 7 s");
  }

  @Test
  void beforeAnythingIsKnownItIsConnecting() {
    assertThat(ProgressLine.render(progress(0, 0, 0, 0, 0, false, 0, 0), 0, 80))
        .isEqualTo("connecting");
    assertThat(ProgressLine.plain(progress(0, 0, 0, 0, 0, false, 0, 9), 0))
        .isEqualTo("connecting, no data for 9 s");
  }

  @Test
  void filesCountWhereThereAreNoBytesToMove() {
    assertThat(ProgressLine.plain(progress(0, 0, 1, 2, 4, true, 1, 0), 0)).startsWith("75%, 0/0 B");
  }

  @Test
  void isNotAtHundredPercentBeforeTheEnd() {
    assertThat(ProgressLine.plain(progress(9_999, 10_000, 0, 0, 1, true, 1, 0), 1))
        .startsWith("99%");
    assertThat(ProgressLine.render(progress(10, 10, 1, 0, 1, true, 1, 0), 1, 120))
        .startsWith("[" + "=".repeat(38) + "] 100%");
  }

  @Test
  void anUnknowableTimeIsNotShown() {
    assertThat(ProgressLine.plain(progress(1, Long.MAX_VALUE, 0, 0, 1, true, 1, 0), 1))
        .doesNotContain("left");
    assertThat(ProgressLine.plain(progress(1, 2, 0, 0, 1, true, 1, 0), 0)).doesNotContain("left");
  }

  @Test
  void theFileUnderWayIsNamed() {
    TransferProgress progress = named(HALFWAY, "run42/detector/part-000003.h5");
    double rate = 3.41 * GBIT_PER_SECOND;
    assertThat(ProgressLine.render(progress, rate, 79))
        .isEqualTo(
            "[====>    ] 44% 1.21/2.70 GiB 407 MiB/s 0:04 left 123/456 ..ctor/part-000003.h5");
    assertThat(ProgressLine.render(progress, rate, 160))
        .endsWith("4 streams run42/detector/part-000003.h5");
    assertThat(ProgressLine.render(progress, rate, 50))
        .isEqualTo(ProgressLine.render(HALFWAY, rate, 50));
    assertThat(ProgressLine.plain(progress, rate))
        .endsWith("4 streams, run42/detector/part-000003.h5");
  }

  @Test
  void aResumedTransferContinuesAtItsPercentage() {
    TransferProgress resumed =
        new TransferProgress(
            new TransferFigures(
                new TransferFigures.Files(0, 0, 0, 0, 0, 1, 0),
                GIB / 4,
                GIB / 2,
                GIB / 2,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                true),
            1,
            Duration.ofSeconds(1),
            Duration.ZERO,
            "");

    assertThat(ProgressLine.plain(resumed, GIB / 4))
        .isEqualTo("75%, 0.75/1.00 GiB, 256 MiB/s (mean 256), 0:01 left, 0/1 files, 1 stream");
  }

  private static TransferProgress named(TransferProgress progress, String current) {
    return new TransferProgress(
        progress.figures(), progress.streams(), progress.elapsed(), progress.stalledFor(), current);
  }

  private static TransferProgress progress(
      long bytesDone,
      long bytesTotal,
      long filesDone,
      long filesUnchanged,
      long filesTotal,
      boolean totalsAreFinal,
      int streams,
      int stalledSeconds) {
    return new TransferProgress(
        new TransferFigures(
            new TransferFigures.Files(filesDone, filesUnchanged, 0, 0, 0, filesTotal, 0),
            bytesDone,
            bytesTotal,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            totalsAreFinal),
        streams,
        Duration.ofMillis(3250),
        Duration.ofSeconds(stalledSeconds),
        "");
  }
}
