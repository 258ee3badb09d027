package io.fdt.storage.local.destination;

import static io.fdt.core.storage.DestinationTreeContract.CONTENTS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Entry;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Operand;
import io.fdt.core.model.Preservation;
import io.fdt.core.model.Selection;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.OpenFileLimit;
import io.fdt.core.storage.RecordedWalk;
import io.fdt.core.storage.SourceTree;
import io.fdt.core.storage.name.TemporaryName;
import io.fdt.storage.local.LocalFileTest;
import io.fdt.storage.local.destination.replace.FinishingCalls;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.DirectoryScope;
import io.fdt.storage.local.os.IdleDirectories;
import io.fdt.storage.local.source.LocalSource;
import io.fdt.storage.local.source.MetadataReader;
import io.fdt.storage.posix.Errno;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several names of one file: found at the source, made at the destination. */
class HardLinkTest extends LocalFileTest {
  private static final FileName FIRST = FileName.of("first");
  private static final FileName OTHER = FileName.of("other");

  private LocalDestination destination;
  private DestinationDirectory directory;
  private Path out;

  @BeforeEach
  void open() throws Exception {
    out = sandbox.directory("out");
    destination = LocalDestination.trusted(sandbox.bytePath("out"), true);
    directory = destination.open(List.of(CONTENTS)).directory();
    Files.writeString(out.resolve("first"), "content");
  }

  @AfterEach
  void close() {
    destination.close();
  }

  @Test
  void aFileGetsAnotherNameInAnotherDirectory() throws Exception {
    DestinationDirectory sub = directory.makeDirectory(FileName.of("sub"));
    sub.makeHardLink(OTHER, directory, FIRST, 7);
    assertThat(Files.isSameFile(out.resolve("sub/other"), out.resolve("first"))).isTrue();
  }

  @Test
  void anotherFileOrLinkOfThatNameIsReplaced() throws Exception {
    Files.writeString(out.resolve("other"), "old");
    directory.makeHardLink(OTHER, directory, FIRST, 7);
    assertThat(Files.isSameFile(out.resolve("other"), out.resolve("first"))).isTrue();
    Files.createSymbolicLink(out.resolve("link"), Path.of("nowhere"));
    directory.makeHardLink(FileName.of("link"), directory, FIRST, 7);
    assertThat(Files.isSymbolicLink(out.resolve("link"))).isFalse();
    directory.makeHardLink(OTHER, directory, FIRST, 7);
    assertThat(out.toFile().list()).containsExactlyInAnyOrder("first", "other", "link");
  }

  @Test
  void aDirectoryOfThatNameStays() throws Exception {
    Files.createDirectory(out.resolve("other"));
    refused(ErrorCode.WRONG_KIND);
    assertThat(out.resolve("other")).isDirectory();
  }

  @Test
  void aLinkThatTookTheFirstNameIsNotLinkedTo() throws Exception {
    Files.writeString(sandbox.directory("outside").resolve("secret"), "content");
    Files.delete(out.resolve("first"));
    Files.createSymbolicLink(out.resolve("first"), Path.of("../outside/secret"));
    refused(ErrorCode.SOURCE_CHANGED);
    assertThat(out.resolve("other")).doesNotExist();
  }

  @Test
  void anotherFileThatTookTheFirstNameIsNotLinkedTo() throws Exception {
    Files.writeString(out.resolve("first"), "something else");
    refused(ErrorCode.SOURCE_CHANGED);
    assertThat(out.resolve("other")).doesNotExist();
  }

  @Test
  void theNamesOfUnfinishedFilesAreNotGiven() throws Exception {
    FileName temporary = TemporaryName.of(FIRST);
    assertThatThrownBy(() -> directory.makeHardLink(temporary, directory, FIRST, 7))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_NAME));
  }

  private void refused(ErrorCode code) {
    assertThatThrownBy(() -> directory.makeHardLink(OTHER, directory, FIRST, 7))
        .isInstanceOfSatisfying(FdtException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  @Test
  void theWalkKnowsNamesOfOneFileUntilAllHaveCome() throws Exception {
    Path source = sandbox.directory("source");
    Files.writeString(source.resolve("a"), "x");
    Files.createLink(source.resolve("b"), source.resolve("a"));
    Files.createLink(sandbox.directory("source/d").resolve("c"), source.resolve("a"));
    Files.writeString(source.resolve("alone"), "x");
    Preservation kept = Preservation.DEFAULT.with(Preservation.Aspect.HARD_LINKS, true);
    List<Operand> operands = List.of(Operand.of(sandbox.bytePath("source/")));
    try (LocalSource tree = LocalSource.trusted(operands, true, Selection.ALL, kept)) {
      RecordedWalk walk = RecordedWalk.of(tree);
      List<Entry> named =
          walk.entries.values().stream().filter(e -> e.metadata().nameCount() > 0).toList();
      assertThat(named).hasSize(1);
      assertThat(named.get(0).metadata().nameCount()).isEqualTo(3);
      assertThat(walk.entries.values())
          .filteredOn(e -> e.metadata().isAnotherName())
          .hasSize(2)
          .allMatch(e -> e.metadata().firstName() == named.get(0).id());
      assertThat(walk.entries.get("alone").metadata().nameCount()).isZero();
    }
  }

  /** Beyond the limit names are sent as separate files, with one report. */
  @Test
  void theWalkRemembersNoMoreThanItMay() throws Exception {
    Path source = sandbox.directory("source");
    for (int i = 0; i < 4; i++) {
      Files.writeString(source.resolve("a" + i), "x");
      Files.createLink(source.resolve("b" + i), source.resolve("a" + i));
    }
    Preservation kept = Preservation.DEFAULT.with(Preservation.Aspect.HARD_LINKS, true);
    Reports reports = new Reports();
    MetadataReader reader = new MetadataReader(kept, reports, 1);
    try (DirectoryScope scope = new DirectoryScope(new IdleDirectories(1))) {
      Directory at = Directory.at(scope, sandbox.bytePath("source"), sandbox.bytePath("source"));
      long id = 0;
      for (String name : List.of("a0", "a1", "a2", "b0", "b1", "a3", "b3")) {
        FileName file = FileName.of(name);
        reports.names.add(name + reader.of(at, file, at.get(file), ++id).firstName());
      }
    }
    assertThat(reports.names).containsExactly("a00", "a10", "a20", "b01", "b10", "a30", "b30");
    assertThat(reports.failures).hasSize(1);
  }

  private static final class Reports implements SourceTree.Visitor {
    final List<String> names = new java.util.ArrayList<>();
    final List<String> failures = new java.util.ArrayList<>();

    @Override
    public void entry(Entry entry, SourceTree.SourceFile file) {
      throw new AssertionError("no walk is expected");
    }

    @Override
    public void directoryEnd(long id) {
      throw new AssertionError("no walk is expected");
    }

    @Override
    public void skipped(String path, String reason) {
      throw new AssertionError(reason);
    }

    @Override
    public void failed(String path, FdtException reason) {
      failures.add(reason.getMessage());
    }
  }

  /** Between the look at the first name and the link to it. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFileThatWasSwappedInMeanwhileIsNotLinkedTo(boolean isThere) throws Exception {
    destination.close();
    FinishingCalls swapping =
        new FinishingCalls.KernelCalls() {
          @Override
          public int link(int fromDirectory, FileName from, int toDirectory, FileName to) {
            if (to.equals(OTHER) && isThere) {
              return -Errno.EEXIST;
            }
            swap();
            return super.link(fromDirectory, from, toDirectory, to);
          }
        };
    destination =
        LocalDestination.trusted(
            sandbox.bytePath("out"),
            true,
            new LocalTree.Resources(OpenFileLimit.NONE, IdleDirectories.OF_PROCESS, swapping));
    directory = destination.open(List.of(CONTENTS)).directory();
    sandbox.write("out/swap", "another");
    if (isThere) {
      sandbox.write("out/other", "old");
    }

    refused(ErrorCode.SOURCE_CHANGED);

    assertThat(out.toFile().list())
        .containsExactlyInAnyOrder(
            isThere ? new String[] {"first", "other"} : new String[] {"first"});
    if (isThere) {
      assertThat(out.resolve("other")).hasContent("old");
    }
  }

  private void swap() {
    try {
      Files.move(out.resolve("swap"), out.resolve("first"), StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
