package io.fdt.storage.local.destination;

import static io.fdt.core.storage.DestinationTreeContract.CONTENTS;
import static io.fdt.core.storage.DestinationTreeContract.MODIFIED;
import static io.fdt.core.storage.DestinationTreeContract.assertFails;
import static io.fdt.core.storage.DestinationTreeContract.writeContent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DestinationDirectory.PendingFile;
import io.fdt.core.storage.Durability;
import io.fdt.core.storage.FileShape;
import io.fdt.storage.local.LinuxOnly;
import io.fdt.storage.local.LocalFileTest;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** In a directory with chattr +a new files arrive, and no temporary file stays. */
@LinuxOnly("directories that are append-only")
class AppendOnlyDirectoryTest extends LocalFileTest {
  private static final FileName NEW = FileName.of("new");
  private static final FileName OLD = FileName.of("old");

  private LocalDestination destination;
  private DestinationDirectory directory;

  @BeforeEach
  void open() throws Exception {
    sandbox.write("out/old", "old");
    sandbox.write("out/first", "old");
    assumeTrue(change("+a"), "no right to chattr +a here");
    destination = LocalDestination.trusted(sandbox.bytePath("out"), true);
    directory = destination.open(List.of(CONTENTS)).directory();
  }

  @AfterEach
  void close() throws Exception {
    if (destination != null) {
      destination.close();
    }
    change("-a");
  }

  private boolean change(String attribute) throws Exception {
    Process process =
        new ProcessBuilder("chattr", attribute, sandbox.path("out").toString())
            .redirectErrorStream(true)
            .start();
    process.getInputStream().readAllBytes();
    return process.waitFor(30, TimeUnit.SECONDS) && process.exitValue() == 0;
  }

  private String[] names() {
    return sandbox.path("out").toFile().list();
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 5_000_000})
  void aNewFileArrives(int size) throws Exception {
    assertThat(directory.journaledBytes()).isGreaterThan(size);
    try (PendingFile file = directory.create(NEW, FileShape.of(size))) {
      writeContent(file, NEW, 0, size);
      assertThat(names()).containsExactlyInAnyOrder("first", "old");
      file.publish(0644, MODIFIED, Durability.NONE);
    }
    assertThat(names()).containsExactlyInAnyOrder("first", "old", "new");
    assertThat(sandbox.path("out/new")).hasSize(size);
  }

  @Test
  void aFileThatIsGivenUpLeavesNothing() throws Exception {
    try (PendingFile file = directory.create(NEW, FileShape.of(3))) {
      writeContent(file, NEW, 0, 3);
    }
    assertThat(names()).containsExactlyInAnyOrder("first", "old");
  }

  @Test
  void whatCannotBeReplacedIsRefusedWithTheCauseAndNothingStays() throws Exception {
    assertThat(assertFails(() -> directory.create(OLD, FileShape.of(3)), ErrorCode.PERMISSION))
        .hasMessageContaining("its directory is append-only; run 'chattr -a' on it");
    assertFails(
        () -> directory.makeLink(OLD, BytePath.of("x"), MODIFIED, null, warning -> {}),
        ErrorCode.PERMISSION);
    assertFails(() -> directory.replaceByDirectory(OLD), ErrorCode.PERMISSION);
    assertFails(
        () -> directory.makeHardLink(OLD, directory, FileName.of("first"), 3),
        ErrorCode.PERMISSION);
    assertThat(names()).containsExactlyInAnyOrder("first", "old");
    assertThat(sandbox.path("out/old")).hasContent("old");
  }
}
