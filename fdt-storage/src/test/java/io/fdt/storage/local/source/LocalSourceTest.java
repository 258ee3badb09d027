package io.fdt.storage.local.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Changing;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Operand;
import io.fdt.core.model.Preservation;
import io.fdt.core.model.Root;
import io.fdt.core.model.Selection;
import io.fdt.core.model.SourceVersion;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.BlockReader;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DestinationTreeContract;
import io.fdt.core.storage.RecordedWalk;
import io.fdt.core.storage.SourceTree;
import io.fdt.core.storage.SourceTreeContract;
import io.fdt.storage.local.LocalFileTest;
import io.fdt.storage.local.Sandbox;
import io.fdt.storage.local.os.IdleDirectories;
import io.fdt.storage.local.os.Syscalls;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The walk of local directories: which entries come, under which names, and what is reported. */
class LocalSourceTest extends LocalFileTest {
  @Test
  void directoryArrivesUnderItsLastNameAndItsContentsWithoutIt() throws Exception {
    sandbox.write("data/file", "x");
    sandbox.directory("data/empty");
    assertThat(walk("data").paths()).containsExactly("data", "data/file", "data/empty");
    for (String contents : List.of("data/", "data/.", "data/empty/..", "data//")) {
      assertThat(walk(contents).paths()).as(contents).containsExactly("file", "empty");
    }
    try (LocalSource named = source("data");
        LocalSource contents = source("data/")) {
      Root root = named.roots().get(0);
      assertThat(root.name()).isEqualTo(FileName.of("data"));
      assertThat(contents.roots())
          .containsExactly(
              new Root(null, EntryKind.DIRECTORY, root.mode(), root.modified(), root.place()));
      assertThat(contents.roots().get(0).isContents()).isTrue();
    }
  }

  @Test
  void filesOfADirectoryComeBeforeItsSubdirectories() throws Exception {
    for (int i = 0; i < 20; i++) {
      sandbox.write("data/d" + i + "/inner", "x");
      sandbox.write("data/f" + i, "x");
    }
    List<String> paths = new ArrayList<>(walk("data/").paths());
    assertThat(paths.subList(0, 20)).allMatch(path -> path.startsWith("f"));
    assertThat(paths.subList(20, 60)).allMatch(path -> path.startsWith("d"));
  }

  @Test
  void modeAndTimeAreThoseOfTheFile() throws Exception {
    Path file = sandbox.write("file", "12345");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
    touch(file, "1950-01-02 03:04:05.123456789");
    Entry entry = walk("file").entries.get("file");
    assertThat(entry.size()).isEqualTo(5);
    assertThat(entry.mode()).isEqualTo(0640);
    assertThat(entry.modified()).isEqualTo(new Timestamp(-631_054_555L, 123_456_789));
  }

  /** A restart recognises by it a file that was replaced by another one of its size and time. */
  @Test
  void theIdentityOfALargeFileIsItsInode() throws Exception {
    Path large = large("large");
    Path copy = large("copy");
    Files.setLastModifiedTime(copy, Files.getLastModifiedTime(large));

    SourceVersion before = version("large");
    assertThat(before.stamp().identity()).isEqualTo(Files.getAttribute(large, "unix:ino"));
    Files.move(copy, large, StandardCopyOption.REPLACE_EXISTING);

    SourceVersion after = version("large");
    assertThat(after.size()).isEqualTo(before.size());
    assertThat(after.modified()).isEqualTo(before.modified());
    assertThat(after).isNotEqualTo(before);
  }

  /** Sparse, and just large enough to be continued after an interruption. */
  private Path large(String name) throws Exception {
    Path file = sandbox.write(name, "");
    try (RandomAccessFile content = new RandomAccessFile(file.toFile(), "rw")) {
      content.setLength(DestinationDirectory.JOURNALED_BYTES);
    }
    return file;
  }

  private SourceVersion version(String name) throws Exception {
    return SourceVersion.of(walk(name).entries.get(name));
  }

  @Test
  void everyByteThatANameMayHaveComesThrough() throws Exception {
    Set<FileName> names = new HashSet<>();
    for (int b = 1; b < 256; b++) {
      if (b != '/' && b != '.') {
        names.add(FileName.of(new byte[] {(byte) b}));
      }
      if (b != '/') {
        names.add(FileName.of(new byte[] {'x', (byte) b, (byte) 0xC3}));
      }
    }
    byte[] longest = new byte[255];
    Arrays.fill(longest, (byte) 0xFF);
    names.add(FileName.of(longest));
    names.add(FileName.of("-rf"));
    names.add(FileName.of("..."));
    for (FileName name : names) {
      sandbox.writeSynthetic(name, 10);
    }
    try (LocalSource source = source("./")) {
      RecordedWalk walk = RecordedWalk.of(source);
      Set<FileName> found = new HashSet<>();
      walk.entries.values().forEach(entry -> found.add(entry.name()));
      assertThat(found).isEqualTo(names);
      assertThat(walk.failed).isEmpty();
      for (String path : walk.files.keySet()) {
        FileName name = walk.entries.get(path).name();
        try (BlockReader reader = walk.files.get(path).open()) {
          SourceTreeContract.assertReads(reader, name, UnpooledByteBufAllocator.DEFAULT, 10, 0, 10);
        }
      }
    }
  }

  @Test
  void linksAreCopiedAsLinksWhateverTheyPointTo() throws Exception {
    sandbox.directory("data/real");
    sandbox.link("data/toDirectory", "real");
    sandbox.link("data/dangling", "/no/such/thing");
    sandbox.link("data/loop", "loop");
    RecordedWalk walk = walk("data/");
    assertThat(walk.paths()).containsExactlyInAnyOrder("real", "toDirectory", "dangling", "loop");
    assertThat(walk.entries.get("toDirectory").kind()).isEqualTo(EntryKind.SYMLINK);
    assertThat(walk.entries.get("dangling").linkTarget()).isEqualTo(BytePath.of("/no/such/thing"));
    assertThat(walk.files).isEmpty();
  }

  @Test
  void localPathLeadsThroughLinksButItsLastNameIsNotFollowed() throws Exception {
    sandbox.write("data/real/file", "x");
    sandbox.link("way", "data");
    assertThat(walk("way/real/file").paths()).containsExactly("file");
    assertThat(walk("way").entries.get("way").kind()).isEqualTo(EntryKind.SYMLINK);
    assertThat(walk("way/").paths()).containsExactly("real", "real/file");
  }

  @Test
  void aNamedLinkToADirectoryNeedsTheRecursiveFlagWhenItIsFollowed() throws Exception {
    sandbox.write("data/real/file", "x");
    sandbox.link("data/link", "real");
    List<Operand> link = List.of(Operand.of(sandbox.bytePath("data/link")));
    Preservation following = Preservation.DEFAULT.withLinks(Preservation.Links.FOLLOW);
    try (LocalSource flat = LocalSource.trusted(link, false, Selection.ALL, following);
        LocalSource deep = LocalSource.trusted(link, true, Selection.ALL, following)) {
      RecordedWalk refused = RecordedWalk.of(flat);
      assertThat(refused.paths()).isEmpty();
      assertThat(refused.failed.values())
          .singleElement()
          .satisfies(
              e -> {
                assertThat(e.code()).isEqualTo(ErrorCode.WRONG_KIND);
                assertThat(e)
                    .hasMessageEndingWith(
                        "data/link' is a directory (add TransferRequest.recursive(true))");
              });
      assertThat(RecordedWalk.of(deep).paths()).containsExactly("link", "link/file");
    }
  }

  @Test
  void noLinkThatIsFollowedLeadsOutOfTheSource() throws Exception {
    sandbox.write("data/real/file", "x");
    sandbox.write("outside/secret", "x");
    sandbox.link("data/in", "real/../real/file");
    sandbox.link("data/up", "../outside/secret");
    sandbox.link("data/through", "up");
    sandbox.link("data/absolute", sandbox.path("data/real/file").toString());
    Preservation following = Preservation.DEFAULT.withLinks(Preservation.Links.FOLLOW);
    try (LocalSource source =
        LocalSource.trusted(
            List.of(Operand.of(sandbox.bytePath("data"))), true, Selection.ALL, following)) {
      RecordedWalk walk = RecordedWalk.of(source);
      assertThat(walk.entries.get("data/in").kind()).isEqualTo(EntryKind.FILE);
      assertThat(walk.paths())
          .containsExactlyInAnyOrder("data", "data/real", "data/real/file", "data/in");
      assertThat(walk.failed).isEmpty();
      assertThat(walk.skipped.values())
          .hasSize(3)
          .allMatch(reason -> reason.contains("leads out of the source"));
    }
  }

  @Test
  void relativePathStartsInTheWorkingDirectory() throws Exception {
    RecordedWalk walk = walk(List.of(Operand.of(BytePath.of("pom.xml"))), false);
    assertThat(walk.paths()).containsExactly("pom.xml");
    assertThat(walk.files.get("pom.xml").path()).isEqualTo("pom.xml");
  }

  @Test
  void directoryNeedsTheRecursiveFlag() throws Exception {
    sandbox.write("data/file", "x");
    sandbox.write("plain", "x");
    List<Operand> operands =
        List.of(
            Operand.of(sandbox.bytePath("data")),
            Operand.of(sandbox.bytePath("data/")),
            Operand.of(sandbox.bytePath("plain")));
    RecordedWalk walk = walk(operands, false);
    assertThat(walk.paths()).containsExactly("plain");
    assertThat(walk.failed).hasSize(2);
    assertThat(walk.failed.values())
        .allSatisfy(
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.WRONG_KIND);
              assertThat(e.getMessage())
                  .contains("is a directory (add TransferRequest.recursive(true))");
            });
  }

  @Test
  void missingOperandIsNamedAndTheOthersCome() throws Exception {
    sandbox.write("there", "x");
    List<Operand> operands =
        List.of(
            Operand.of(sandbox.bytePath("missing")),
            Operand.of(sandbox.bytePath("there/")),
            Operand.of(sandbox.bytePath("there")));
    try (LocalSource source = LocalSource.trusted(operands, true, Selection.ALL)) {
      assertThat(source.roots()).extracting(Root::name).containsExactly(FileName.of("there"));
      RecordedWalk walk = RecordedWalk.of(source);
      assertThat(walk.paths()).containsExactly("there");
      assertThat(walk.failed.get(sandbox.path("missing").toString()).code())
          .isEqualTo(ErrorCode.NOT_FOUND);
      assertThat(walk.failed.get(sandbox.path("there") + "/").code())
          .isEqualTo(ErrorCode.WRONG_KIND);
    }
  }

  @Test
  void newNamesMakeTheDirectoriesThatTheyNeed() throws Exception {
    sandbox.write("a", "x");
    sandbox.write("b", "x");
    sandbox.write("tree/c", "x");
    List<Operand> operands =
        List.of(
            operand(sandbox.bytePath("a"), "x/y/first"),
            operand(sandbox.bytePath("b"), "x/second"),
            operand(sandbox.bytePath("b"), "x/y/"),
            operand(sandbox.bytePath("tree"), "x/y/t"),
            operand(sandbox.bytePath("tree/"), "top"),
            Operand.of(sandbox.bytePath("b")));
    RecordedWalk walk = walk(operands, true);
    assertThat(walk.failed).isEmpty();
    assertThat(walk.paths())
        .containsExactly(
            "x", "x/y", "x/y/first", "x/second", "x/y/b", "x/y/t", "x/y/t/c", "top", "top/c", "b");
    assertThat(walk.entries.get("x").modified()).isNull();
    assertThat(walk.entries.get("x").mode()).isEqualTo(0755);
    assertThat(walk.entries.get("x/y/t").modified()).isNotNull();
    try (LocalSource source = LocalSource.trusted(operands.subList(0, 1), true, Selection.ALL)) {
      assertThat(source.roots().stream().map(root -> root.at(0)))
          .containsExactly(new Root(FileName.of("x"), EntryKind.DIRECTORY, 0755, null));
    }
  }

  @Test
  void newNameCannotLeaveTheDestination() throws Exception {
    sandbox.write("a", "x");
    RecordedWalk walk = walk(List.of(operand(sandbox.bytePath("a"), "x/../../a")), true);
    assertThat(walk.entries).isEmpty();
    assertThat(walk.failed.values()).extracting("code").containsExactly(ErrorCode.FORBIDDEN);
  }

  @Test
  void secondFileOfOneNameFailsAndDirectoriesOfOneNameBothCome() throws Exception {
    sandbox.write("1/same", "x");
    sandbox.write("2/same", "x");
    sandbox.write("1/tree/a", "x");
    sandbox.write("2/tree/b", "x");
    RecordedWalk files = walk("1/same", "2/same");
    assertThat(files.paths()).containsExactly("same");
    assertThat(files.failed).containsOnlyKeys(sandbox.path("2/same").toString());
    RecordedWalk trees = walk("1/tree", "2/tree");
    assertThat(trees.failed).isEmpty();
    assertThat(trees.paths()).containsExactlyInAnyOrder("tree", "tree/a", "tree/b");
    RecordedWalk fileAndWay =
        walk(
            List.of(
                operand(sandbox.bytePath("1/same"), "x"),
                operand(sandbox.bytePath("2/same"), "x/y")),
            true);
    assertThat(fileAndWay.paths()).containsExactly("x");
    assertThat(fileAndWay.failed).hasSize(1);
  }

  @Test
  void ofTwoFilesThatArriveUnderOnePathTheFirstComesAndTheOtherFails() throws Exception {
    sandbox.write("1/tree/same", "x");
    sandbox.write("1/tree/sub/deep", "x");
    sandbox.write("1/tree/sub/first", "x");
    sandbox.write("2/tree/same", "longer");
    sandbox.write("2/tree/sub/deep", "longer");
    sandbox.write("2/tree/sub/second", "x");
    Files.createSymbolicLink(sandbox.path("2/tree/sub/first"), Path.of("deep"));
    for (String end : List.of("", "/")) {
      RecordedWalk walk = walk("1/tree" + end, "2/tree" + end);

      assertThat(walk.failed)
          .containsOnlyKeys(
              sandbox.path("2/tree/same").toString(),
              sandbox.path("2/tree/sub/deep").toString(),
              sandbox.path("2/tree/sub/first").toString());
      assertThat(walk.failed.values()).extracting("code").containsOnly(ErrorCode.USAGE);
      assertThat(walk.files.keySet().stream().map(path -> path.replaceFirst("^tree/", "")))
          .containsExactlyInAnyOrder("same", "sub/deep", "sub/first", "sub/second");
      assertThat(walk.entries.values())
          .filteredOn(entry -> entry.kind() == EntryKind.FILE)
          .extracting(Entry::size)
          .containsOnly(1L);
    }
    RecordedWalk file =
        walk(
            List.of(
                Operand.of(sandbox.bytePath("1/tree")),
                operand(sandbox.bytePath("2/tree/same"), "tree/sub/deep")),
            true);
    assertThat(file.failed).containsOnlyKeys(sandbox.path("2/tree/same").toString());
  }

  /** As a list of find names directories and what is in them. */
  @Test
  void aFileThatIsAPartOfSeveralOperandsComesOnce() throws Exception {
    sandbox.write("tree/file", "x");
    sandbox.write("tree/sub/deep", "x");
    List<Operand> operands =
        List.of(
            operand(sandbox.bytePath("tree"), "tree"),
            operand(sandbox.bytePath("tree/sub"), "tree/sub"),
            operand(sandbox.bytePath("tree/sub/deep"), "tree/sub/deep"),
            operand(sandbox.bytePath("tree/file"), "tree/file"));

    RecordedWalk walk = walk(operands, true);

    assertThat(walk.failed).isEmpty();
    assertThat(walk.entries.get("tree/file").id()).isLessThan(5);
    assertThat(walk.entries.get("tree/sub/deep").id()).isLessThan(5);
  }

  @Test
  void specialFilesAreSkippedAndNeverOpened() throws Exception {
    sandbox.directory("data");
    sandbox.fifo("data/fifo");
    sandbox.write("data/file", "x");
    RecordedWalk walk = walk("data/", "data/fifo");
    assertThat(walk.paths()).containsExactly("file");
    assertThat(walk.skipped).containsOnlyKeys(sandbox.path("data/fifo").toString());
    RecordedWalk device = walk(List.of(Operand.of(BytePath.of("/dev/null"))), true);
    assertThat(device.failed).containsOnlyKeys("/dev/null");
  }

  @Test
  void unfinishedFilesOfTransfersAreSkipped() throws Exception {
    sandbox.write("data/.fdt-0123456789abcdef.part", "x");
    sandbox.write("data/.fdt-0123456789abcdeX.part", "x");
    RecordedWalk walk = walk("data/");
    assertThat(walk.paths()).containsExactly(".fdt-0123456789abcdeX.part");
    assertThat(walk.skipped).hasSize(1);
  }

  @Test
  void unreadableDirectoryIsReportedAndStillMade() throws Exception {
    sandbox.write("data/closed/secret", "x");
    sandbox.write("data/open/file", "x");
    Files.setPosixFilePermissions(sandbox.path(), PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.setPosixFilePermissions(
        sandbox.path("data/closed"), PosixFilePermissions.fromString("--x--x--x"));
    Sandbox.asOrdinaryUser(
        () -> {
          RecordedWalk walk = walk("data/");
          assertThat(walk.paths()).containsExactlyInAnyOrder("closed", "open", "open/file");
          assertThat(walk.failed).containsOnlyKeys(sandbox.path("data/closed").toString());
          assertThat(walk.failed.values()).extracting("code").containsExactly(ErrorCode.PERMISSION);
          RecordedWalk through = walk("data/closed/secret");
          assertThat(through.paths()).containsExactly("secret");
        });
  }

  @Test
  void unreadableFileFailsWhenItIsOpened() throws Exception {
    Path file = sandbox.write("secret", "x");
    Files.setPosixFilePermissions(sandbox.path(), PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.setPosixFilePermissions(file, Set.of());
    Sandbox.asOrdinaryUser(
        () -> {
          try (LocalSource source = source("secret")) {
            RecordedWalk walk = RecordedWalk.of(source);
            assertThat(walk.entries.get("secret").mode()).isZero();
            DestinationTreeContract.assertFails(
                () -> walk.files.get("secret").open(), ErrorCode.PERMISSION);
          }
        });
  }

  @Test
  void sixHundredLevelsAreWalked() throws Exception {
    int levels = 600;
    StringBuilder script = new StringBuilder("cd '" + sandbox.path() + "'");
    script.append("; i=0; while [ $i -lt ").append(levels).append(" ]; do ");
    script.append("mkdir level$i && cd -P level$i || exit 1; echo x > f; i=$((i+1)); done");
    Process process = new ProcessBuilder("sh", "-c", script.toString()).inheritIO().start();
    assertThat(process.waitFor(60, java.util.concurrent.TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();
    IdleDirectories few = new IdleDirectories(5);
    try (LocalSource source =
        LocalSource.trusted(
            List.of(Operand.of(sandbox.bytePath("./"))),
            true,
            Selection.ALL,
            Preservation.DEFAULT,
            few)) {
      RecordedWalk walk = RecordedWalk.of(source);
      assertThat(walk.failed).isEmpty();
      assertThat(walk.entries).hasSize(2 * levels);
      assertThat(few.size()).isLessThanOrEqualTo(5);
      String deepest = new ArrayList<>(walk.files.keySet()).get(levels - 1);
      walk.files.get(deepest).open().close();
      assertThat(Syscalls.openDescriptors()).isLessThanOrEqualTo(5);
    }
  }

  @Test
  void walkEndsEarlyWhenTheSourceIsClosed() throws Exception {
    for (int i = 0; i < 10; i++) {
      sandbox.write("data/f" + i, "x");
    }
    LocalSource source = source("data/");
    List<Entry> seen = new ArrayList<>();
    SourceTree.Visitor closing =
        new SourceTree.Visitor() {
          @Override
          public void entry(Entry entry, SourceTree.SourceFile file) {
            seen.add(entry);
            source.close();
          }

          @Override
          public void directoryEnd(long id) {}

          @Override
          public void skipped(String path, String reason) {}

          @Override
          public void failed(String path, io.fdt.core.error.FdtException reason) {}
        };
    assertThatThrownBy(() -> source.walk(closing)).isInstanceOf(InterruptedException.class);
    assertThat(seen).hasSize(1);
  }

  @Test
  void whatVanishesDuringTheWalkIsSkippedWhereChangesAre() throws Exception {
    sandbox.write("data/file", "x");
    Path directory = sandbox.directory("data/gone");
    List<String> reports = new ArrayList<>();
    SourceTree.Visitor removing =
        new SourceTree.Visitor() {
          @Override
          public void entry(Entry entry, SourceTree.SourceFile file) {
            assertThat(directory.toFile().delete()).isTrue(); // files come first
          }

          @Override
          public void directoryEnd(long id) {}

          @Override
          public void skipped(String path, String reason) {
            reports.add("skipped " + reason);
          }

          @Override
          public void failed(String path, io.fdt.core.error.FdtException reason) {
            reports.add("failed " + reason.getMessage());
          }
        };
    try (LocalSource source = source("data/").changing(Changing.SKIP)) {
      source.walk(removing);
    }
    assertThat(reports)
        .singleElement()
        .asString()
        .startsWith("skipped vanished during the transfer");
  }

  @Test
  void manyNamesInOneDirectoryComeOnce() throws Exception {
    int count = 5000;
    Path directory = sandbox.directory("data");
    for (int i = 0; i < count; i++) {
      Files.createFile(directory.resolve("a-name-that-is-rather-long-" + i));
    }
    RecordedWalk walk = walk("data/");
    assertThat(walk.files).hasSize(count);
  }

  private static void touch(Path file, String utc) throws Exception {
    Process process =
        new ProcessBuilder("touch", "-h", "-d", utc + " UTC", file.toString()).start();
    assertThat(process.waitFor()).isZero();
  }
}
