package io.fdt.cli.output.json;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportFileTest {
  @TempDir Path directory;

  @Test
  void aDirectoryThatIsMissingIsSaidInWords() {
    Path report = directory.resolve("none/report.json");

    assertThatThrownBy(() -> ReportFile.create(report, "{}"))
        .hasMessage(
            "--report '"
                + report
                + "': the directory does not exist; make it, or choose another one");
  }
}
