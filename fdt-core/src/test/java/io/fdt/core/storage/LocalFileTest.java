package io.fdt.core.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.manifest.BytePath;
import io.fdt.core.manifest.Operand;
import io.fdt.core.manifest.Selection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What tests of local files share: a sandbox, and the proof that no descriptor stays open. */
abstract class LocalFileTest {
  Sandbox sandbox;
  private int openBefore;
  private int idleBefore;

  @BeforeEach
  void makeSandbox() throws IOException {
    openBefore = Kernel.openDescriptors();
    idleBefore = IdleDirectories.OF_PROCESS.size();
    sandbox = new Sandbox();
  }

  @AfterEach
  void nothingStaysOpen() throws IOException {
    sandbox.close();
    assertThat(Kernel.openDescriptors()).as("open descriptors").isEqualTo(openBefore);
    assertThat(IdleDirectories.OF_PROCESS.size()).as("idle directories").isEqualTo(idleBefore);
  }

  /** Walks paths beneath the sandbox, recursively. */
  RecordedWalk walk(String... relativePaths) throws Exception {
    List<Operand> operands = new ArrayList<>();
    for (String path : relativePaths) {
      operands.add(Operand.of(sandbox.bytePath(path)));
    }
    return walk(operands, true);
  }

  RecordedWalk walk(List<Operand> operands, boolean recursive) throws Exception {
    try (LocalSource source = LocalSource.trusted(operands, recursive, Selection.ALL)) {
      return RecordedWalk.of(source);
    }
  }

  LocalSource source(String relativePath) {
    return LocalSource.trusted(
        List.of(Operand.of(sandbox.bytePath(relativePath))), true, Selection.ALL);
  }

  static Operand operand(BytePath path, String target) {
    return new Operand(path, java.util.Optional.of(BytePath.of(target)));
  }
}
