package io.fdt.storage.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.model.BytePath;
import io.fdt.core.model.Operand;
import io.fdt.core.model.Selection;
import io.fdt.core.storage.RecordedWalk;
import io.fdt.storage.local.os.IdleDirectories;
import io.fdt.storage.local.os.Syscalls;
import io.fdt.storage.local.source.LocalSource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Base of tests of local files: a sandbox, and a check that no descriptor stays open. */
public abstract class LocalFileTest {
  public Sandbox sandbox;
  private int openBefore;
  private int idleBefore;

  @BeforeEach
  public void makeSandbox() throws IOException {
    openBefore = Syscalls.openDescriptors();
    idleBefore = IdleDirectories.OF_PROCESS.size();
    sandbox = new Sandbox();
  }

  @AfterEach
  public void nothingStaysOpen() throws IOException {
    sandbox.close();
    assertThat(Syscalls.openDescriptors()).as("open descriptors").isEqualTo(openBefore);
    assertThat(IdleDirectories.OF_PROCESS.size()).as("idle directories").isEqualTo(idleBefore);
  }

  /** Walks paths beneath the sandbox, recursively. */
  public RecordedWalk walk(String... relativePaths) throws Exception {
    List<Operand> operands = new ArrayList<>();
    for (String path : relativePaths) {
      operands.add(Operand.of(sandbox.bytePath(path)));
    }
    return walk(operands, true);
  }

  public RecordedWalk walk(List<Operand> operands, boolean recursive) throws Exception {
    try (LocalSource source = LocalSource.trusted(operands, recursive, Selection.ALL)) {
      return RecordedWalk.of(source);
    }
  }

  public LocalSource source(String relativePath) {
    return LocalSource.trusted(
        List.of(Operand.of(sandbox.bytePath(relativePath))), true, Selection.ALL);
  }

  public static Operand operand(BytePath path, String target) {
    return new Operand(path, java.util.Optional.of(BytePath.of(target)));
  }
}
