package io.fdt.storage.local.destination;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DestinationTreeContract;
import io.fdt.core.storage.FileShape;
import io.fdt.core.storage.name.TemporaryName;
import io.fdt.storage.local.LocalFileTest;
import io.fdt.storage.local.Sandbox;
import io.fdt.storage.local.destination.replace.Disposal;
import io.fdt.storage.local.destination.replace.RemoveTree;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.DirectoryScope;
import io.fdt.storage.local.os.IdleDirectories;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Removals: the removed names, and those that stay. */
class RemoveTreeTest extends LocalFileTest {
  private final List<String> removed = new ArrayList<>();
  private final List<String> failed = new ArrayList<>();
  private Predicate<String> kept = path -> false;

  private boolean remove(String parent, String name, Disposal disposal) throws Exception {
    return remove(new IdleDirectories(3), parent, name, disposal);
  }

  private boolean remove(IdleDirectories idle, String parent, String name, Disposal disposal)
      throws Exception {
    try (DirectoryScope scope = new DirectoryScope(idle)) {
      Directory directory = Directory.at(scope, sandbox.bytePath(parent), BytePath.of("."));
      return new RemoveTree(scope, disposal, true, new Recorder())
          .remove(directory, FileName.of(name), List.of());
    }
  }

  private final class Recorder implements RemoveTree.Visitor {
    @Override
    public boolean keeps(List<FileName> way, FileName name, Attributes found) {
      StringBuilder path = new StringBuilder();
      way.forEach(step -> path.append(step).append('/'));
      return kept.test(path.append(name).toString());
    }

    @Override
    public void removed(String path, Attributes what) {
      removed.add(path);
    }

    @Override
    public void failed(String path, FdtException cause) {
      failed.add(path + " " + cause.code());
    }
  }

  @Test
  void everythingGoesAndWhatADirectoryHoldsGoesBeforeIt() throws Exception {
    sandbox.write("top/tree/a/b/c/file", "x");
    sandbox.write("top/tree/a/other", "x");
    sandbox.directory("top/tree/empty");
    sandbox.fifo("top/tree/fifo");
    sandbox.write("top/stays", "x");

    assertThat(remove("top", "tree", Disposal.REMOVE)).isTrue();

    assertThat(failed).isEmpty();
    assertThat(removed)
        .containsExactlyInAnyOrder(
            "./tree/fifo",
            "./tree/a/other",
            "./tree/a/b/c/file",
            "./tree/a/b/c",
            "./tree/a/b",
            "./tree/a",
            "./tree/empty",
            "./tree")
        .containsSubsequence("./tree/a/b/c/file", "./tree/a/b/c", "./tree/a/b", "./tree/a")
        .endsWith("./tree");
    assertThat(sandbox.path("top").toFile().list()).containsExactly("stays");
  }

  @Test
  void linksAreRemovedAndNeverFollowed() throws Exception {
    sandbox.write("elsewhere/file", "x");
    sandbox.link("tree", "elsewhere");
    sandbox.directory("real");
    sandbox.link("real/way", "../elsewhere");

    assertThat(remove("", "tree", Disposal.REMOVE)).isTrue();
    assertThat(remove("", "real", Disposal.REMOVE)).isTrue();

    assertThat(sandbox.path("elsewhere/file")).exists();
    assertThat(sandbox.path().toFile().list()).containsExactly("elsewhere");
  }

  @Test
  void whatIsKeptKeepsTheDirectoriesAboveItAndNothingElse() throws Exception {
    sandbox.write("tree/a/b/kept", "x");
    sandbox.write("tree/a/b/gone", "x");
    sandbox.write("tree/a/c/gone", "x");
    sandbox.write("tree/whole/d/e", "x");
    kept = path -> path.equals("tree/a/b/kept") || path.equals("tree/whole");

    assertThat(remove("", "tree", Disposal.REMOVE)).isFalse();

    assertThat(failed).isEmpty();
    assertThat(removed)
        .containsExactlyInAnyOrder("./tree/a/b/gone", "./tree/a/c/gone", "./tree/a/c");
    assertThat(sandbox.path("tree/a/b/kept")).exists();
    assertThat(sandbox.path("tree/whole/d/e")).exists();
  }

  @Test
  void pretendingNamesTheSameAndChangesNothing() throws Exception {
    sandbox.write("tree/a/b/c", "x");
    sandbox.write("tree/a/" + TemporaryName.Kind.PART.name(1), "abandoned");

    assertThat(remove("", "tree", Disposal.PRETEND)).isTrue();
    assertThat(sandbox.path("tree/a/b/c")).exists();
    List<String> pretended = List.copyOf(removed);
    removed.clear();
    assertThat(remove("", "tree", Disposal.REMOVE)).isTrue();

    assertThat(removed).containsExactlyElementsOf(pretended);
  }

  @Test
  void theFileOfARunningTransferStays() throws Exception {
    sandbox.directory("top/tree");
    try (LocalDestination destination =
        LocalDestination.trusted(sandbox.bytePath("top/tree"), true)) {
      DestinationDirectory directory =
          destination.open(List.of(DestinationTreeContract.CONTENTS)).directory();
      try (DestinationDirectory.PendingFile file =
          directory.create(FileName.of("new"), FileShape.of(1))) {
        assertThat(file).isNotNull();
        assertThat(remove("top", "tree", Disposal.REMOVE)).isFalse();
        assertThat(failed).hasSize(1).allMatch(text -> text.endsWith(ErrorCode.IN_USE.name()));
      }
      assertThat(remove("top", "tree", Disposal.REMOVE)).isTrue();
    }
    assertThat(sandbox.path("top").toFile().list()).isEmpty();
  }

  @Test
  void aJournalThatIsAloneGoesToo() throws Exception {
    sandbox.write("tree/" + TemporaryName.Kind.JOURNAL.name(1), "alone");
    sandbox.write("tree/" + TemporaryName.Kind.PART.name(2), "with its journal");
    sandbox.write("tree/" + TemporaryName.Kind.JOURNAL.name(2), "with its file");

    assertThat(remove("", "tree", Disposal.REMOVE)).isTrue();

    assertThat(failed).isEmpty();
    assertThat(removed)
        .contains(
            "./tree/" + TemporaryName.Kind.JOURNAL.name(1),
            "./tree/" + TemporaryName.Kind.PART.name(2))
        .endsWith("./tree");
    assertThat(sandbox.path().toFile().list()).isEmpty();
  }

  @Test
  void whatMayNotBeRemovedIsToldAndTheRestGoes() throws Exception {
    Path closed = sandbox.directory("tree/closed");
    sandbox.write("tree/closed/file", "x");
    sandbox.write("tree/open/file", "x");
    for (Path path : List.of(sandbox.path(), sandbox.path("tree"), sandbox.path("tree/open"))) {
      Files.setPosixFilePermissions(
          path, java.nio.file.attribute.PosixFilePermissions.fromString("rwxrwxrwx"));
    }
    Files.setPosixFilePermissions(
        closed, java.nio.file.attribute.PosixFilePermissions.fromString("r-xr-xr-x"));

    Sandbox.asOrdinaryUser(() -> assertThat(remove("", "tree", Disposal.REMOVE)).isFalse());

    assertThat(failed).containsExactly("./tree/closed/file " + ErrorCode.PERMISSION);
    assertThat(removed).containsExactlyInAnyOrder("./tree/open/file", "./tree/open");
  }

  @Test
  void aNameThatIsNotThereIsToldAsSuch() throws Exception {
    assertThat(remove("", "nothing", Disposal.REMOVE)).isFalse();
    assertThat(failed).containsExactly("./nothing " + ErrorCode.NOT_FOUND);
  }

  @Test
  void aTreeDeeperThanDirectoriesMayBeOpenGoes() throws Exception {
    StringBuilder path = new StringBuilder("tree");
    for (int i = 0; i < 300; i++) {
      path.append("/d");
    }
    sandbox.write(path + "/file", "x");

    assertThat(remove("", "tree", Disposal.REMOVE)).isTrue();

    assertThat(removed).hasSize(302);
  }

  @Test
  void closingTheScopeEndsIt() throws Exception {
    sandbox.write("tree/a/file", "x");
    DirectoryScope scope = new DirectoryScope(new IdleDirectories(3));
    Directory top = Directory.at(scope, sandbox.bytePath(""), BytePath.of("."));
    kept =
        name -> {
          scope.close();
          return false;
        };
    RemoveTree removal = new RemoveTree(scope, Disposal.REMOVE, false, new Recorder());
    assertThatThrownBy(() -> removal.remove(top, FileName.of("tree"), List.of()))
        .isInstanceOf(InterruptedException.class);
    assertThat(sandbox.path("tree/a/file")).exists();
  }

  /** --one-file-system: mounted file systems do not belong to the tree. */
  @Test
  void whatIsMountedInATreeStaysWhereOnlyOneFileSystemIsMeant() throws Exception {
    sandbox.write("tree/file", "x");
    String point = sandbox.directory("tree/mounted").toString();
    assumeTrue(run("mount", "-t", "tmpfs", "none", point), "no right to mount");
    try {
      sandbox.write("tree/mounted/precious", "x");

      assertThat(remove("", "tree", Disposal.REMOVE)).isFalse();

      assertThat(sandbox.path("tree/mounted/precious")).exists();
      assertThat(sandbox.path("tree/file")).doesNotExist();
      assertThat(failed).hasSize(1).first().asString().contains("tree/mounted");
    } finally {
      assertThat(run("umount", point)).isTrue();
    }
  }

  private static boolean run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getInputStream().readAllBytes();
    return process.waitFor(30, TimeUnit.SECONDS) && process.exitValue() == 0;
  }
}
