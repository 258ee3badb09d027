package io.fdt.cli.output.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.client.FileProblem;
import io.fdt.core.error.ErrorCode;
import org.junit.jupiter.api.Test;

class SharedReasonsTest {
  private final SharedReasons reasons = new SharedReasons();

  @Test
  void aDirectoryIsToldOnceAndItsFilesAreCounted() {
    String locked = "no permission to write to 'out'";
    for (int i = 0; i < 1500; i++) {
      assertThat(reasons.isReported(problem("out/" + i, ErrorCode.PERMISSION, locked)))
          .isEqualTo(i > 0);
    }
    assertThat(reasons.takeOthers()).containsExactly("1,499 more for the same reason: " + locked);
    assertThat(reasons.takeOthers()).isEmpty();
  }

  @Test
  void aFullDiskIsToldWithTenFiles() {
    for (int i = 0; i < 1510; i++) {
      String message = "storage full: 'out/%d' needs 1 B, and 0 B are free".formatted(i);
      assertThat(reasons.isReported(problem("out/" + i, ErrorCode.STORAGE_FULL, message)))
          .isEqualTo(i >= 10);
    }
    assertThat(reasons.isReported(problem("out/x", ErrorCode.IO, "'out/x': broken"))).isFalse();
    assertThat(reasons.takeOthers())
        .containsExactly(
            "1,500 more for the same reason: storage full; make room and run the same command"
                + " again");
  }

  private static FileProblem problem(String path, ErrorCode code, String message) {
    return new FileProblem(path, false, code, message);
  }
}
