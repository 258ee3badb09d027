package io.fdt.storage.local.destination;

import static io.fdt.core.storage.DestinationTreeContract.CONTENTS;
import static io.fdt.core.storage.DestinationTreeContract.MODIFIED;
import static io.fdt.core.storage.DestinationTreeContract.assertFails;
import static io.fdt.core.storage.DestinationTreeContract.writeContent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Preservation;
import io.fdt.core.storage.DeletionRules;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DestinationDirectory.PendingFile;
import io.fdt.core.storage.Durability;
import io.fdt.core.storage.FileShape;
import io.fdt.core.storage.LeftoverVisitor;
import io.fdt.core.storage.OpenFileLimit;
import io.fdt.storage.local.LocalFileTest;
import io.fdt.storage.local.destination.replace.FinishingCalls;
import io.fdt.storage.local.destination.replace.StalePartials;
import io.fdt.storage.local.os.IdleDirectories;
import io.fdt.storage.posix.Errno;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Replacement by another kind of entry: an error leaves the old entry or the new one. */
class ReplacerTest extends LocalFileTest {
  private static final FileName NAME = FileName.of("name");
  private static final FileName FIRST = FileName.of("first");

  private final FaultyCalls calls = new FaultyCalls();
  private final Reports reports = new Reports();
  private LocalDestination destination;
  private DestinationDirectory directory;

  @BeforeEach
  void open() throws Exception {
    sandbox.directory("out");
    open(Optional.empty());
  }

  private void open(Optional<BytePath> backups) throws Exception {
    destination =
        LocalDestination.trusted(
            sandbox.bytePath("out"),
            true,
            Preservation.DEFAULT,
            backups,
            new LocalTree.Resources(OpenFileLimit.NONE, IdleDirectories.OF_PROCESS, calls));
    directory = destination.open(List.of(CONTENTS)).directory();
  }

  @AfterEach
  void close() {
    destination.close();
  }

  private void makeRoom() throws Exception {
    sandbox.write("out/name/sub/inside", "old");
    directory.letReplace(NAME, List.of(), reports);
  }

  private void writeFile() throws Exception {
    try (PendingFile file = directory.create(NAME, FileShape.of(3))) {
      assertThat(sandbox.path("out/name/sub/inside")).hasContent("old");
      writeContent(file, NAME, 0, 3);
      file.publish(0644, MODIFIED, Durability.NONE);
    }
  }

  private String[] names() {
    return sandbox.path("out").toFile().list();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, Errno.EINVAL, Errno.ENOSYS})
  void aDirectoryStaysUntilAFileIsInItsPlace(int ofExchange) throws Exception {
    calls.ofExchange = ofExchange;
    makeRoom();
    writeFile();
    assertThat(names()).containsExactly("name");
    assertThat(sandbox.path("out/name")).isRegularFile().hasSize(3);
    assertThat(reports.names).hasSize(3).last().asString().endsWith(".old");
  }

  /** As it is at the moment when a transfer may die. */
  @Test
  void whileNothingHasTheNameANoteSaysWhereTheOldThingBelongs() throws Exception {
    calls.ofExchange = Errno.EINVAL;
    makeRoom();
    List<String> seen = new ArrayList<>();
    calls.beforeRename =
        () -> {
          if (!Files.exists(sandbox.path("out/name"))) {
            Map<String, LeftoverVisitor.Leftover> found = new HashMap<>();
            StalePartials.visit(
                sandbox.bytePath("out"),
                true,
                new LeftoverVisitor() {
                  @Override
                  public void leftover(LeftoverVisitor.Leftover file) {
                    found.put(file.path().replaceFirst(".*\\.", ""), file);
                  }

                  @Override
                  public void failed(String path, FdtException cause) {
                    throw new AssertionError(path, cause);
                  }
                });
            assertThat(found.get("old").inUse()).isTrue();
            seen.add(found.get("old").finalPath());
          }
        };
    writeFile();
    assertThat(seen).containsExactly(sandbox.path("out/name").toString());
    assertThat(names()).containsExactly("name");
  }

  @ParameterizedTest
  @CsvSource({"EXCHANGE, 0", "RENAME, 1", "RENAME, 2"})
  void aDirectoryThatCannotBeReplacedStays(String call, int which) throws Exception {
    calls.ofExchange = call.equals("EXCHANGE") ? Errno.EIO : Errno.EINVAL;
    calls.failingRename = which;
    makeRoom();
    assertFails(this::writeFile, ErrorCode.IO);
    assertThat(names()).containsExactly("name");
    assertThat(sandbox.path("out/name/sub/inside")).hasContent("old");
    assertThat(reports.names).isEmpty();
  }

  @Test
  void aLinkReplacesADirectoryOnceItIsMade() throws Exception {
    makeRoom();
    calls.ofExchange = Errno.EIO;
    assertFails(
        () -> directory.makeLink(NAME, BytePath.of("x"), MODIFIED, null, warning -> {}),
        ErrorCode.IO);
    assertThat(names()).containsExactly("name");
    assertThat(sandbox.path("out/name/sub/inside")).hasContent("old");
    calls.ofExchange = 0;
    directory.letReplace(NAME, List.of(), reports);
    directory.makeLink(NAME, BytePath.of("x"), MODIFIED, null, warning -> {});
    assertThat(names()).containsExactly("name");
    assertThat(Files.readSymbolicLink(sandbox.path("out/name"))).hasToString("x");
  }

  @Test
  void anotherNameOfAFileReplacesADirectory() throws Exception {
    sandbox.write("out/first", "same");
    makeRoom();
    directory.makeHardLink(NAME, directory, FIRST, 4);
    assertThat(names()).containsExactlyInAnyOrder("first", "name");
    assertThat(Files.isSameFile(sandbox.path("out/first"), sandbox.path("out/name"))).isTrue();
  }

  @Test
  void whatIsLeftOfADirectoryIsNamedAndTheFileIsThere() throws Exception {
    makeRoom();
    reports.leftOut = FileName.of("inside");
    assertThatThrownBy(this::writeFile)
        .isInstanceOf(FdtException.class)
        .hasMessageMatching(".*/name' replaced a directory, and a part of that remains: .*\\.old'");
    assertThat(sandbox.path("out/name")).isRegularFile();
    assertThat(names()).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, Errno.EINVAL})
  void aDirectoryReplacesAFile(int ofExchange) throws Exception {
    sandbox.write("out/name", "old");
    calls.ofExchange = ofExchange;
    assertThat(directory.replaceByDirectory(NAME).isFresh()).isTrue();
    assertThat(names()).containsExactly("name");
    assertThat(sandbox.path("out/name")).isEmptyDirectory();
  }

  @ParameterizedTest
  @CsvSource({"EXCHANGE, 0", "RENAME, 1", "RENAME, 2"})
  void aFileThatADirectoryCannotReplaceStays(String call, int which) throws Exception {
    sandbox.write("out/name", "old");
    calls.ofExchange = call.equals("EXCHANGE") ? Errno.EIO : Errno.EINVAL;
    calls.failingRename = which;
    assertFails(() -> directory.replaceByDirectory(NAME), ErrorCode.IO);
    assertThat(names()).containsExactly("name");
    assertThat(sandbox.path("out/name")).hasContent("old");
  }

  @Test
  void theContentOfADirectoryGoesToTheBackupsUnderItsName() throws Exception {
    destination.close();
    open(Optional.of(BytePath.of("bak")));
    makeRoom();
    writeFile();
    assertThat(names()).containsExactlyInAnyOrder("bak", "name");
    assertThat(sandbox.path("out/bak/name/sub/inside")).hasContent("old");
    assertThat(sandbox.path("out/bak").toFile().list()).containsExactly("name");
  }

  /** Without hard links the old file has moved to the backups before. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFileWhoseBackupWasMovedComesBackWhereTheNewOneGetsNoName(boolean fails) throws Exception {
    destination.close();
    open(Optional.of(BytePath.of("bak")));
    sandbox.write("out/name", "old");
    calls.ofLink = Errno.EMLINK;
    calls.failingRename = fails ? 1 : 0;
    try (PendingFile file = directory.create(NAME, FileShape.of(3))) {
      writeContent(file, NAME, 0, 3);
      if (fails) {
        assertFails(() -> file.publish(0644, MODIFIED, Durability.NONE), ErrorCode.IO);
      } else {
        file.publish(0644, MODIFIED, Durability.NONE);
      }
    }
    assertThat(sandbox.path(fails ? "out/name" : "out/bak/name")).hasContent("old");
    assertThat(sandbox.path("out/bak/name").toFile().exists()).isNotEqualTo(fails);
  }

  /** With hard links, without them, and where the system cannot rename to a free name only. */
  @ParameterizedTest
  @CsvSource({"0, 0", "1, 0", "1, 22"})
  void aBackupThatAnotherProcessMakesAtTheSameMomentIsNotOverwritten(int ofLink, int ofRename)
      throws Exception {
    destination.close();
    open(Optional.of(BytePath.of("bak")));
    sandbox.write("out/name", "old");
    calls.ofLink = ofLink;
    calls.ofRenameToFree = ofRename;
    calls.takenMeanwhile = sandbox.path("out/bak/name");
    try (PendingFile file = directory.create(NAME, FileShape.of(3))) {
      writeContent(file, NAME, 0, 3);
      file.publish(0644, MODIFIED, Durability.NONE);
    }

    assertThat(sandbox.path("out/bak/name")).hasContent("of another process");
    assertThat(sandbox.path("out/bak/name.~1~")).hasContent("old");
  }

  private interface Looking {
    void look() throws FdtException;
  }

  private static final class FaultyCalls extends FinishingCalls.KernelCalls {
    int ofExchange;
    int ofLink;
    Looking beforeRename = () -> {};
    int ofRenameToFree;

    /** Created by another process after a name for a backup was found. */
    Path takenMeanwhile;

    /** Counted from 1; 0 for none. */
    int failingRename;

    @Override
    public int rename(int directory, FileName from, FileName to) {
      try {
        beforeRename.look();
      } catch (FdtException e) {
        throw new AssertionError(e);
      }
      return failingRename > 0 && --failingRename == 0
          ? -Errno.EIO
          : super.rename(directory, from, to);
    }

    @Override
    public int exchange(int directory, FileName one, FileName other) {
      return ofExchange != 0 ? -ofExchange : super.exchange(directory, one, other);
    }

    @Override
    public int link(int fromDirectory, FileName from, int toDirectory, FileName to) {
      if (ofLink != 0) {
        return -ofLink;
      }
      takeMeanwhile();
      return super.link(fromDirectory, from, toDirectory, to);
    }

    @Override
    public int renameToFree(int fromDirectory, FileName from, int toDirectory, FileName to) {
      takeMeanwhile();
      return ofRenameToFree != 0
          ? -ofRenameToFree
          : super.renameToFree(fromDirectory, from, toDirectory, to);
    }

    private void takeMeanwhile() {
      if (takenMeanwhile == null || Files.exists(takenMeanwhile)) {
        return;
      }
      try {
        Files.writeString(takenMeanwhile, "of another process");
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static final class Reports implements DeletionRules {
    final List<String> names = new ArrayList<>();
    FileName leftOut;

    @Override
    public boolean isKnown(List<FileName> way, FileName name) {
      return false;
    }

    @Override
    public boolean isLeftOut(List<FileName> way, FileName name, boolean isDirectory) {
      assertThat(way.isEmpty() || way.get(0).equals(NAME)).isTrue(); // not under its new name
      return name.equals(leftOut);
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
      throw new AssertionError("the source is not asked");
    }

    @Override
    public void deleted(String path, EntryKind kind) {
      names.add(path);
    }

    @Override
    public void failed(String path, FdtException cause) {
      throw new AssertionError(path, cause);
    }
  }
}
