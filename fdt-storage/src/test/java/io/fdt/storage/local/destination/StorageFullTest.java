package io.fdt.storage.local.destination;

import static io.fdt.core.storage.DestinationTreeContract.CONTENTS;
import static io.fdt.core.storage.DestinationTreeContract.MODIFIED;
import static io.fdt.core.storage.DestinationTreeContract.assertFails;
import static io.fdt.core.storage.DestinationTreeContract.writeContent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.Durability;
import io.fdt.core.storage.FileShape;
import io.fdt.storage.local.LocalFileTest;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A file system of 8 MiB that fills up. Needs the right to mount one; without it nothing here runs.
 */
class StorageFullTest extends LocalFileTest {
  private static final FileName NAME = FileName.of("name");

  private boolean mounted;
  private LocalDestination destination;
  private DestinationDirectory directory;

  @BeforeEach
  void mount() throws Exception {
    String small = sandbox.directory("small").toString();
    mounted = run("mount", "-t", "tmpfs", "-o", "size=8m,nr_inodes=20", "none", small);
    assumeTrue(mounted, "no right to mount");
    destination = LocalDestination.trusted(sandbox.bytePath("small"), true);
    directory = destination.open(List.of(CONTENTS)).directory();
  }

  @AfterEach
  void unmount() throws Exception {
    if (mounted) {
      destination.close();
      assertThat(run("umount", sandbox.path("small").toString())).isTrue();
    }
  }

  private static boolean run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getInputStream().readAllBytes();
    return process.waitFor(30, TimeUnit.SECONDS) && process.exitValue() == 0;
  }

  @Test
  void largeFileIsRefusedBeforeItsFirstByteWithNumbers() throws Exception {
    FdtException full =
        assertFails(() -> directory.create(NAME, FileShape.of(20_000_000)), ErrorCode.STORAGE_FULL);
    assertThat(full)
        .hasMessageStartingWith(
            "storage full: '" + directory.path() + "/name' needs 19.1 MiB, and ")
        .hasMessageEndingWith(" MiB are free; make room and run the same command again");
    assertThat(sandbox.path("small")).isEmptyDirectory();
  }

  @Test
  void fullFileSystemIsReportedByTheWriteAndLeavesNothing() throws Exception {
    DestinationDirectory.PendingFile file = directory.create(NAME, FileShape.of(0));
    assertFails(() -> writeContent(file, NAME, 0, 9_000_000), ErrorCode.STORAGE_FULL);
    file.close();
    assertThat(sandbox.path("small")).isEmptyDirectory();
    try (DestinationDirectory.PendingFile fits = directory.create(NAME, FileShape.of(8_000_000))) {
      writeContent(fits, NAME, 0, 8_000_000);
      fits.publish(0644, MODIFIED, Durability.NONE);
    }
  }

  @Test
  void lackOfInodesIsStorageFull() {
    assertFails(
        () -> {
          for (int i = 0; i < 30; i++) {
            LocalDestinationTest.publish(directory, FileName.of("f" + i), 0, 0644, MODIFIED);
          }
        },
        ErrorCode.STORAGE_FULL);
  }

  /** Each takes an inode, which is not there. */
  @Test
  void aFileThatADirectoryOrALinkCannotReplaceForLackOfSpaceStays() throws Exception {
    sandbox.write("small/name", "old");
    useUpInodes();
    assertFails(() -> directory.replaceByDirectory(NAME), ErrorCode.STORAGE_FULL);
    assertFails(
        () -> directory.makeLink(NAME, BytePath.of("x"), MODIFIED, null, warning -> {}),
        ErrorCode.STORAGE_FULL);
    assertThat(sandbox.path("small/name")).hasContent("old");
  }

  private void useUpInodes() throws Exception {
    for (int i = 0; i < 30; i++) {
      try {
        sandbox.write("small/f" + i, "");
      } catch (IOException e) {
        return; // full
      }
    }
    throw new AssertionError("30 files of 20");
  }

  /** Where no space can be reserved it would be written until not a byte is free. */
  @Test
  void aFileLargerThanTheFreeSpaceIsRefusedOnAFileSystemThatReservesNone() throws Exception {
    String image = sandbox.path("image").toString();
    String old = sandbox.directory("ext2").toString();
    assumeTrue(
        run("truncate", "-s", "16M", image)
            && run("mkfs.ext2", "-q", "-F", image)
            && run("mount", "-o", "loop", image, old),
        "no right to mount ext2");
    try (LocalDestination plain = LocalDestination.trusted(sandbox.bytePath("ext2"), true)) {
      DestinationDirectory in = plain.open(List.of(CONTENTS)).directory();
      assertThat(
              assertFails(() -> in.create(NAME, FileShape.of(20_000_000)), ErrorCode.STORAGE_FULL))
          .hasMessageContaining("needs 19.1 MiB, and ");
      try (DestinationDirectory.PendingFile fits = in.create(NAME, FileShape.of(8_000_000))) {
        writeContent(fits, NAME, 0, 8_000_000);
        fits.publish(0644, MODIFIED, Durability.NONE);
      }
    } finally {
      assertThat(run("umount", old)).isTrue();
    }
  }
}
