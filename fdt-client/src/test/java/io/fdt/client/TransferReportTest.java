package io.fdt.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.TransferFigures;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TransferReportTest {
  @Test
  void theStatusIsThatOfAllFailuresOrOne() {
    assertThat(status()).isZero();
    assertThat(status(problem(ErrorCode.STORAGE_FULL), problem(ErrorCode.STORAGE_FULL)))
        .isEqualTo(6);
    assertThat(status(problem(ErrorCode.STORAGE_FULL), problem(ErrorCode.IO))).isEqualTo(1);
    assertThat(status(problem(ErrorCode.VERIFICATION))).isEqualTo(5);
    assertThat(status(problem(ErrorCode.VERIFICATION), problem(ErrorCode.STORAGE_FULL)))
        .isEqualTo(1);
    assertThat(status(skipped(ErrorCode.WRONG_KIND), problem(ErrorCode.STORAGE_FULL)))
        .as("beside a device that is skipped")
        .isEqualTo(6);
  }

  private static FileProblem problem(ErrorCode code) {
    return new FileProblem("file", false, code, "why");
  }

  private static FileProblem skipped(ErrorCode code) {
    return new FileProblem("device", true, code, "why");
  }

  private static int status(FileProblem... problems) {
    long failed = Arrays.stream(problems).filter(problem -> !problem.skipped()).count();
    return new TransferReport(
            "id",
            Optional.empty(),
            "",
            new TransferFigures(
                new TransferFigures.Files(0, 0, 0, failed, 0, 0, 0),
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
                0,
                0,
                true),
            "crc32c",
            Duration.ZERO,
            List.of(problems))
        .exitStatus();
  }
}
