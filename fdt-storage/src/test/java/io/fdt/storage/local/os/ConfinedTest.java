package io.fdt.storage.local.os;

import static io.fdt.core.storage.DestinationTreeContract.CONTENTS;
import static io.fdt.core.storage.DestinationTreeContract.MODIFIED;
import static io.fdt.core.storage.DestinationTreeContract.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Operand;
import io.fdt.core.model.Preservation;
import io.fdt.core.model.Root;
import io.fdt.core.model.Selection;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.ExportedStorage;
import io.fdt.core.storage.FileShape;
import io.fdt.core.storage.ListingVisitor;
import io.fdt.core.storage.RecordedWalk;
import io.fdt.core.storage.Storage;
import io.fdt.storage.local.LocalFileTest;
import io.fdt.storage.local.destination.DryRunDestination;
import io.fdt.storage.local.destination.LocalDestination;
import io.fdt.storage.local.destination.LocalDestinationTest;
import io.fdt.storage.local.export.LocalListing;
import io.fdt.storage.local.source.LocalSource;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Exports: the names accessible to a client, and no others. */
class ConfinedTest extends LocalFileTest {
  private static final FileName A = FileName.of("a");
  private static final FileName B = FileName.of("b");
  private static final Root FILE = new Root(FileName.of("file"), EntryKind.FILE, 0644, MODIFIED);

  private ExportedRoots single;
  private ExportedRoots several;

  @BeforeEach
  void openExports() throws Exception {
    sandbox.write("data/file", "x");
    sandbox.write("data/inner/deep", "x");
    sandbox.write("outside/secret", "x");
    sandbox.directory("second");
    sandbox.link("data/out", "../outside");
    sandbox.link("data/inner/absolute", sandbox.path("outside").toString());
    single = ExportedRoots.open(List.of(export(null, "data", true)));
    several = ExportedRoots.open(List.of(export(A, "data", false), export(B, "second", true)));
  }

  @AfterEach
  void closeExports() {
    single.close();
    single.close();
    several.close();
  }

  @Test
  void aViewForReadingSaysThatOthersMayWrite() {
    ExportedRoots reading = several.view(Set.of(), true);

    assertThat(assertFails(() -> reading.startOfWriting(BytePath.of("/b/x")), ErrorCode.FORBIDDEN))
        .hasMessageContaining("the export is writable")
        .hasMessageContaining("use a token that is not read-only");
    assertThat(assertFails(() -> reading.startOfWriting(BytePath.of("/a/x")), ErrorCode.FORBIDDEN))
        .hasMessageContaining("the export is read-only");
    assertThat(reading.writable().values()).containsExactly(false, false);
  }

  @Test
  void aViewForReadingOfTheOnlyExportTakesNothing() throws Exception {
    ExportedRoots reading = single.view(Set.of(), true);

    assertThat(assertFails(() -> reading.startOfWriting(BytePath.of("/x")), ErrorCode.FORBIDDEN))
        .hasMessageContaining("use a token that is not read-only");
    assertPushFails(reading, "/new", ErrorCode.FORBIDDEN);
    assertThat(reading.writable().values()).containsExactly(false);
    assertThat(single.writable().values()).containsExactly(true);
  }

  private ExportedStorage.Root export(FileName name, String directory, boolean writable) {
    return new ExportedStorage.Root(name, sandbox.bytePath(directory), writable);
  }

  private RecordedWalk walk(ExportedRoots exports, String... paths) throws Exception {
    List<Operand> operands = new ArrayList<>();
    for (String path : paths) {
      operands.add(Operand.of(BytePath.of(path)));
    }
    try (LocalSource source =
        LocalSource.confined(exports, operands, true, Selection.ALL, Preservation.DEFAULT)) {
      return RecordedWalk.of(source);
    }
  }

  @Test
  void absoluteAndRelativePathsStartAtTheOnlyExport() throws Exception {
    for (String path : List.of("/inner", "inner", "//inner", "./inner")) {
      assertThat(walk(single, path).paths())
          .as(path)
          .containsExactlyInAnyOrder("inner", "inner/deep", "inner/absolute");
    }
    for (String path : List.of("", "/", ".", "/.")) {
      assertThat(walk(single, path).paths())
          .as(path)
          .contains("file", "inner", "inner/deep", "out");
    }
    assertThat(walk(single, "/inner/deep").files.get("deep").path()).isEqualTo("/inner/deep");
  }

  @Test
  void severalExportsAreTheDirectoriesOfTheRoot() throws Exception {
    assertThat(walk(several, "/").paths()).contains("a", "a/file", "a/inner/deep", "b");
    assertThat(walk(several, "/a").paths()).contains("a", "a/file");
    assertThat(walk(several, "/a/").paths()).contains("file", "inner/deep");
    assertThat(walk(several, "/a/inner/deep").files.get("deep").path()).isEqualTo("/a/inner/deep");
    RecordedWalk unknown = walk(several, "/c/file", "/data");
    assertThat(unknown.entries).isEmpty();
    assertThat(unknown.failed.values())
        .allSatisfy(
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND);
              assertThat(e.getMessage()).contains("/a, /b");
            });
    assertThat(several.names()).containsExactly(A, B);
  }

  @Test
  void noPathLeadsOutside() throws Exception {
    for (String path :
        List.of(
            "..", "/..", "../outside", "inner/../../outside/secret", "inner/..", "/inner/../")) {
      assertRefused(path, ErrorCode.FORBIDDEN);
    }
    assertRefused("out/secret", ErrorCode.WRONG_KIND);
    assertRefused("out/", ErrorCode.WRONG_KIND);
    assertRefused("inner/absolute/secret", ErrorCode.WRONG_KIND);
    assertRefused("x".repeat(300), ErrorCode.BAD_NAME);
    assertThat(walk(single, "out").entries.get("out").kind()).isEqualTo(EntryKind.SYMLINK);
  }

  private void assertRefused(String path, ErrorCode code) throws Exception {
    RecordedWalk walk = walk(single, path);
    assertThat(walk.entries).as(path).isEmpty();
    assertThat(walk.failed.values()).as(path).extracting(FdtException::code).containsExactly(code);
    try (LocalDestination destination =
        LocalDestination.confined(
            single, BytePath.of(path), true, Preservation.DEFAULT, Optional.empty())) {
      assertFails(() -> destination.open(List.of(CONTENTS)), code);
    }
    assertFails(() -> list(single, path), code);
  }

  @Test
  void messagesDoNotShowWhereTheExportIs() throws Exception {
    RecordedWalk walk = walk(several, "/a/missing/file", "/a/out/secret", "/a/none");
    assertThat(walk.failed).hasSize(3);
    assertThat(walk.failed.values())
        .allSatisfy(
            e ->
                assertThat(e.getMessage())
                    .contains("/a/")
                    .doesNotContain(sandbox.path().toString()));
  }

  @Test
  void pushNeedsAWritableExport() throws Exception {
    assertPushFails(several, "/", ErrorCode.FORBIDDEN);
    assertPushFails(several, "/a", ErrorCode.FORBIDDEN);
    assertPushFails(several, "/a/new", ErrorCode.FORBIDDEN);
    assertPushFails(several, "/c", ErrorCode.NOT_FOUND);
    try (LocalDestination destination =
        LocalDestination.confined(
            several, BytePath.of("/b/x/y"), true, Preservation.DEFAULT, Optional.empty())) {
      DestinationDirectory directory = destination.open(List.of(FILE)).directory();
      assertThat(directory.path()).isEqualTo("/b/x/y");
      LocalDestinationTest.publish(directory, FileName.of("file"), 3, 0644, MODIFIED);
    }
    assertThat(sandbox.path("second/x/y/file")).exists();
    assertThat(sandbox.path("data/new")).doesNotExist();
  }

  private static void assertPushFails(ExportedRoots exports, String path, ErrorCode code)
      throws FdtException {
    try (LocalDestination destination =
        LocalDestination.confined(
            exports, BytePath.of(path), true, Preservation.DEFAULT, Optional.empty())) {
      assertFails(() -> destination.open(List.of(FILE)), code);
    }
  }

  @Test
  void pushFollowsTheRuleForNewNames() throws Exception {
    assertNewName("new", "new");
    assertNewName("/inner/new", "new");
    assertNewName("file", "file");
    sandbox.link("data/nowhere", "missing");
    sandbox.link("data/tofile", "file");
    assertNewName("nowhere", "nowhere");
    assertNewName("tofile", "tofile");
    assertNewName("inner", null);
    assertNewName("/", null);
    assertNewName("made/", null);
    assertThat(sandbox.path("data/made")).isDirectory();
    assertThat(sandbox.path("data/new")).doesNotExist();
  }

  @Test
  void aPushGoesIntoTheDirectoryThatALinkLeadsToWithinTheExport() throws Exception {
    sandbox.link("data/inner/up", "../inner/./../linked");
    sandbox.link("data/linked", "second");
    sandbox.directory("data/second");
    for (String path : List.of("inner/up", "linked", "linked/")) {
      try (LocalDestination destination =
              LocalDestination.confined(
                  single, BytePath.of(path), false, Preservation.DEFAULT, Optional.empty());
          DryRunDestination dryRun =
              DryRunDestination.confined(
                  single, BytePath.of(path), false, Preservation.DEFAULT, Optional.empty())) {
        for (DestinationTree tree : List.of(destination, dryRun)) {
          DestinationTree.Base base = tree.open(List.of(FILE));
          assertThat(base.newName()).as(path).isNull();
          assertThat(base.directory().path()).as(path).isEqualTo("/second");
        }
      }
    }
  }

  @Test
  void aPushToALinkThatLeadsOutOfTheExportIsRefusedAndTheLinkStays() throws Exception {
    for (String path : List.of("out", "inner/absolute")) {
      try (LocalDestination destination =
              LocalDestination.confined(
                  single, BytePath.of(path), false, Preservation.DEFAULT, Optional.empty());
          DryRunDestination dryRun =
              DryRunDestination.confined(
                  single, BytePath.of(path), false, Preservation.DEFAULT, Optional.empty())) {
        assertFails(() -> destination.open(List.of(FILE)), ErrorCode.WRONG_KIND);
        assertFails(() -> dryRun.open(List.of(FILE)), ErrorCode.WRONG_KIND);
      }
      assertThat(Files.isSymbolicLink(sandbox.path("data").resolve(path))).isTrue();
    }
  }

  private void assertNewName(String path, String expected) throws Exception {
    try (LocalDestination destination =
        LocalDestination.confined(
            single, BytePath.of(path), false, Preservation.DEFAULT, Optional.empty())) {
      FileName name = destination.open(List.of(FILE)).newName();
      assertThat(name).isEqualTo(expected == null ? null : FileName.of(expected));
    }
  }

  @Test
  void linkThatAppearsInThePathOfAPushIsNotFollowed() throws Exception {
    try (LocalDestination destination =
        LocalDestination.confined(
            single, BytePath.of("inner"), true, Preservation.DEFAULT, Optional.empty())) {
      DestinationDirectory inner = destination.open(List.of(CONTENTS)).directory();
      DestinationDirectory made = inner.makeDirectory(FileName.of("made"));
      IdleDirectories.OF_PROCESS.all().forEach(IdleDirectories.Idle::closeIfIdle);
      Files.delete(sandbox.path("data/inner/made"));
      sandbox.link("data/inner/made", sandbox.path("outside").toString());
      assertFails(() -> made.create(FileName.of("file"), FileShape.of(5)), ErrorCode.WRONG_KIND);
      assertFails(() -> inner.makeDirectory(FileName.of("made")), ErrorCode.WRONG_KIND);
    }
    assertThat(sandbox.path("outside/file")).doesNotExist();
  }

  @Test
  void closingTheExportsEndsWhatUsesThem() throws Exception {
    LocalSource source =
        LocalSource.confined(
            single,
            List.of(Operand.of(BytePath.of("/file"))),
            true,
            Selection.ALL,
            Preservation.DEFAULT);
    assertThat(source.roots()).hasSize(1);
    single.close();
    RecordedWalk walk = RecordedWalk.of(source);
    assertFails(() -> walk.files.get("file").open(), ErrorCode.CANCELLED);
    source.close();
  }

  @Test
  void exportsAreCheckedWhenTheyAreOpened() throws Exception {
    assertFails(() -> openNow(export(null, "missing", true)), ErrorCode.NOT_FOUND);
    assertFails(() -> openNow(export(null, "data/file", true)), ErrorCode.WRONG_KIND);
    assertFails(() -> openNow(export(A, "data", true), export(A, "second", true)), ErrorCode.USAGE);
    assertFails(
        () -> openNow(export(A, "data", true), export(null, "second", true)), ErrorCode.USAGE);
    ExportedRoots throughLink = ExportedRoots.open(List.of(export(null, "data/out", false)));
    assertThat(walk(throughLink, "/").paths()).containsExactly("secret");
    throughLink.close();
  }

  private static void openNow(ExportedStorage.Root... roots) throws FdtException {
    ExportedRoots.open(List.of(roots)).close();
  }

  private static List<ListingVisitor.Item> list(ExportedRoots exports, String path)
      throws Exception {
    List<ListingVisitor.Item> items = new ArrayList<>();
    LocalListing.list(exports, BytePath.of(path), Storage.Depth.CONTENTS, items::add);
    items.sort((one, other) -> one.name().toString().compareTo(other.name().toString()));
    return items;
  }

  @Test
  void listingShowsADirectoryOrTheOneThingThatIsNamed() throws Exception {
    assertThat(list(single, "/"))
        .extracting(item -> item.name().toString())
        .containsExactly("file", "inner", "out");
    assertThat(list(single, "/inner/deep"))
        .extracting(item -> item.name().toString())
        .containsExactly("/inner/deep");
    assertThat(list(several, "/"))
        .extracting(item -> item.name().toString())
        .containsExactly("a", "b");
    assertThat(list(several, "/a")).hasSize(3);
    ListingVisitor.Item link = list(single, "out").get(0);
    assertThat(link.attributes().kind()).contains(EntryKind.SYMLINK);
    assertThat(link.linkTarget()).isEqualTo(BytePath.of("../outside"));
    assertThat(list(single, "file").get(0).attributes().size()).isEqualTo(1);
    assertFails(() -> list(single, "none"), ErrorCode.NOT_FOUND);
  }

  @Test
  void aTreeComesOneDirectoryAfterAnotherAndThroughNoLink() throws Exception {
    List<String> names = new ArrayList<>();
    LocalListing.list(
        several, BytePath.of("/"), Storage.Depth.TREE, item -> names.add(item.name().toString()));
    assertThat(names.subList(0, 2)).containsExactlyInAnyOrder("a", "b");
    assertThat(names).contains("a/inner", "a/inner/deep", "a/out").doesNotContain("a/out/secret");
    assertThat(names.indexOf("a/inner/deep")).isGreaterThan(names.indexOf("a/out"));
  }

  @Test
  void aTreeEndsWhenItsVisitorMayNotGoOn() {
    for (ErrorCode code : List.of(ErrorCode.UNAUTHENTICATED, ErrorCode.TIMEOUT)) {
      ListingVisitor visitor =
          new ListingVisitor() {
            @Override
            public void item(ListingVisitor.Item item) throws FdtException {
              if (item.name().equals(BytePath.of("inner/deep"))) {
                throw new FdtException(code, "the visitor ends it");
              }
            }

            @Override
            public void failed(BytePath name, FdtException cause) {
              throw new AssertionError("went on after " + cause.code());
            }
          };
      assertFails(
          () -> LocalListing.list(single, BytePath.of("/"), Storage.Depth.TREE, visitor), code);
    }
  }

  @Test
  void theThingItselfIsShownWhateverItIs() throws Exception {
    for (String path : List.of("/", "inner", "inner/", "file", "out")) {
      List<ListingVisitor.Item> items = new ArrayList<>();
      LocalListing.list(single, BytePath.of(path), Storage.Depth.ITSELF, items::add);
      assertThat(items).hasSize(1);
      assertThat(items.get(0).name()).isEqualTo(BytePath.of(path));
      assertThat(items.get(0).opener() != null).isEqualTo(path.equals("file"));
    }
  }
}
