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
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.DeletionRules;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DestinationDirectory.PendingFile;
import io.fdt.core.storage.Durability;
import io.fdt.core.storage.FileShape;
import io.fdt.storage.local.LinuxOnly;
import io.fdt.storage.local.LocalFileTest;
import io.fdt.storage.local.os.OrdinaryUser;
import io.fdt.storage.local.os.Syscalls;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A user who is not root brings read-only directories of its own up to date. */
@LinuxOnly("a process that changes its user cannot use its paths")
class ReadOnlyDirectoriesTest extends LocalFileTest {
  private static final FileName SUB = FileName.of("sub");
  private static final FileName OLD = FileName.of("old");
  private static final FileName NEW = FileName.of("new");

  private LocalDestination destination;
  private DestinationDirectory base;

  @BeforeEach
  void open() throws Exception {
    sandbox.write("out/sub/old", "old");
    sandbox.write("out/sub/deep/er/file", "old");
    OrdinaryUser.own(sandbox.path("out"));
    destination = LocalDestination.trusted(sandbox.bytePath("out"), true);
    base = destination.open(List.of(CONTENTS)).directory();
  }

  @AfterEach
  void close() throws Exception {
    destination.close();
    setMode("rwxr-xr-x", "sub/deep/er", "sub/deep", "sub");
  }

  private void setMode(String mode, String... names) throws Exception {
    for (String name : names) {
      if (Files.exists(sandbox.path("out").resolve(name))) {
        Files.setPosixFilePermissions(
            sandbox.path("out").resolve(name), PosixFilePermissions.fromString(mode));
      }
    }
  }

  private String mode(String name) throws Exception {
    return PosixFilePermissions.toString(
        Files.getPosixFilePermissions(sandbox.path("out").resolve(name)));
  }

  private static void put(DestinationDirectory directory, FileName name) throws FdtException {
    try (PendingFile file = directory.create(name, FileShape.of(3))) {
      writeContent(file, name, 0, 3);
      file.publish(0644, MODIFIED, Durability.NONE);
    }
  }

  /** 0 is what the copy of a directory got that could not be read at the source. */
  @ParameterizedTest
  @ValueSource(strings = {"r-xr-xr-x", "r--r--r--", "---------"})
  void aSecondRunAddsAndChangesInAReadOnlyDirectory(String mode) throws Exception {
    setMode(mode, "sub");
    OrdinaryUser.run(
        () -> {
          DestinationDirectory sub = base.makeDirectory(SUB);
          assertThat(sub.find(OLD)).isPresent();
          put(sub, OLD);
          put(sub, NEW);
          sub.makeLink(FileName.of("link"), BytePath.of("x"), MODIFIED, null, warning -> {});
          sub.makeHardLink(FileName.of("other"), sub, NEW, 3);
          sub.makeDirectory(FileName.of("directory")).finish(0755, MODIFIED, Durability.NONE);
          sub.finish(0555, MODIFIED, Durability.NONE);
        });
    assertThat(mode("sub")).isEqualTo("r-xr-xr-x");
    setMode("rwxr-xr-x", "sub");
    assertThat(sandbox.path("out/sub").toFile().list())
        .containsExactlyInAnyOrder("old", "new", "link", "other", "directory", "deep");
    assertThat(sandbox.path("out/sub/old")).hasSize(3);
  }

  /** As in the cache of Go's modules: read-only directories with README and readme. */
  @Test
  void namesThatDifferOnlyInCaseAreThereInAReadOnlyDirectory() throws Exception {
    setMode("r-xr-xr-x", "sub");
    OrdinaryUser.run(
        () -> {
          DestinationDirectory sub = base.makeDirectory(SUB);
          assertThat(sub.folds(OLD)).isFalse();
          sub.finish(0555, MODIFIED, Durability.NONE);
        });
    assertThat(mode("sub")).isEqualTo("r-xr-xr-x");
  }

  @Test
  void namesThatDifferOnlyInCaseAreThereInADirectoryOfAnotherUser() throws Exception {
    assumeTrue(Syscalls.effectiveUser() == 0, "needs two users");
    Files.setAttribute(sandbox.path("out/sub"), "unix:uid", 0);
    OrdinaryUser.run(() -> assertThat(base.makeDirectory(SUB).folds(OLD)).isFalse());
  }

  /** The source could not be read at first, and can now. */
  @Test
  void aDirectoryWithoutAnyRightsGetsTheModeThatTheSourceHasNow() throws Exception {
    setMode("---------", "sub");
    OrdinaryUser.run(
        () ->
            assertThat(base.makeDirectory(SUB).finish(0755, MODIFIED, Durability.NONE)).isEmpty());
    assertThat(mode("sub")).isEqualTo("rwxr-xr-x");
  }

  @Test
  void theModeComesBackAlsoAfterAnError() throws Exception {
    setMode("r-xr-xr-x", "sub/deep", "sub");
    OrdinaryUser.run(
        () -> {
          DestinationDirectory sub = base.makeDirectory(SUB);
          put(sub, NEW);
          put(sub.makeDirectory(FileName.of("deep")), NEW);
        });
    assertThat(mode("sub/deep")).isEqualTo("rwxr-xr-x");
    OrdinaryUser.run(destination::close);
    assertThat(mode("sub")).isEqualTo("r-xr-xr-x");
    assertThat(mode("sub/deep")).isEqualTo("r-xr-xr-x");
  }

  /** The directory that only leads to a source stays as it was. */
  @Test
  void theModeOfADirectoryThatIsNotCopiedItselfComesBack() throws Exception {
    setMode("r-xr-xr-x", "sub");
    OrdinaryUser.run(
        () -> {
          DestinationDirectory sub = base.makeDirectory(SUB);
          put(sub, NEW);
          sub.finish(0755, null, Durability.NONE);
        });
    assertThat(mode("sub")).isEqualTo("r-xr-xr-x");
  }

  @Test
  void whatBelongsToAnotherUserStaysClosed() throws Exception {
    setMode("r-xr-xr-x", "sub");
    assumeTrue(Syscalls.effectiveUser() == 0, "needs two users");
    Files.setAttribute(sandbox.path("out/sub"), "unix:uid", 0);
    OrdinaryUser.run(
        () -> assertFails(() -> put(base.makeDirectory(SUB), NEW), ErrorCode.PERMISSION));
    assertThat(mode("sub")).isEqualTo("r-xr-xr-x");
  }

  @Test
  void aDeletionReachesIntoReadOnlyDirectoriesAndTheirModeComesBack() throws Exception {
    setMode("---------", "sub/deep/er", "sub/deep");
    setMode("r-xr-xr-x", "sub");
    OrdinaryUser.run(() -> destination.delete(List.of(List.of()), false, new AllOf("deep", "old")));
    assertThat(mode("sub")).isEqualTo("r-xr-xr-x");
    assertThat(sandbox.path("out/sub").toFile().list()).isEmpty();
  }

  /** Deletes these, and knows all other names. */
  private record AllOf(List<String> names) implements DeletionRules {
    AllOf(String... names) {
      this(List.of(names));
    }

    @Override
    public boolean isKnown(List<FileName> way, FileName name) {
      return !names.contains(name.toString());
    }

    @Override
    public boolean isLeftOut(List<FileName> way, FileName name, boolean isDirectory) {
      return false;
    }

    @Override
    public int maxDepth() {
      return Integer.MAX_VALUE;
    }

    @Override
    public boolean oneFileSystem() {
      return false;
    }

    @Override
    public BitSet lacking(List<List<FileName>> paths) {
      BitSet all = new BitSet();
      all.set(0, paths.size());
      return all;
    }

    @Override
    public void deleted(String path, EntryKind kind) {}

    @Override
    public void failed(String path, FdtException cause) {
      throw new AssertionError(path, cause);
    }
  }
}
