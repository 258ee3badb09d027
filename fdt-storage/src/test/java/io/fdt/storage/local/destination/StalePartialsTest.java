package io.fdt.storage.local.destination;

import static io.fdt.core.storage.DestinationTreeContract.CONTENTS;
import static io.fdt.core.storage.DestinationTreeContract.MODIFIED;
import static io.fdt.core.storage.DestinationTreeContract.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.Durability;
import io.fdt.core.storage.FileShape;
import io.fdt.core.storage.LeftoverVisitor;
import io.fdt.core.storage.name.TemporaryName;
import io.fdt.storage.local.LinuxOnly;
import io.fdt.storage.local.LocalFileTest;
import io.fdt.storage.local.Sandbox;
import io.fdt.storage.local.destination.replace.StalePartials;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The findings and removals of a clean-up. */
class StalePartialsTest extends LocalFileTest {
  private final List<LeftoverVisitor.Leftover> leftovers = new ArrayList<>();
  private final List<String> failures = new ArrayList<>();
  private LocalDestination destination;
  private DestinationDirectory directory;
  private Path out;

  @BeforeEach
  void open() throws Exception {
    out = sandbox.directory("out");
    destination = LocalDestination.trusted(sandbox.bytePath("out"), true);
    directory = destination.open(List.of(CONTENTS)).directory();
  }

  @AfterEach
  void close() {
    destination.close();
  }

  private void visit(boolean remove) throws FdtException {
    leftovers.clear();
    failures.clear();
    StalePartials.visit(
        sandbox.bytePath("out"),
        remove,
        new LeftoverVisitor() {
          @Override
          public void leftover(LeftoverVisitor.Leftover file) {
            leftovers.add(file);
          }

          @Override
          public void failed(String path, FdtException cause) {
            failures.add(path);
          }
        });
  }

  @LinuxOnly("space is not reserved")
  @Test
  void whatAnInterruptedTransferLeftIsNamedAndRemoved() throws Exception {
    Partials.interrupted(directory, 0, 1);
    long journal = Files.size(Partials.journal(out));
    String becomes = out.resolve("large").toString();

    for (boolean remove : new boolean[] {false, true}) {
      visit(remove);
      assertThat(leftovers)
          .containsExactlyInAnyOrder(
              new LeftoverVisitor.Leftover(
                  Partials.part(out).toString(), Partials.VERSION.size(), becomes, false, false),
              new LeftoverVisitor.Leftover(
                  Partials.journal(out).toString(), journal, becomes, false, false));
      assertThat(Partials.part(out).toFile().exists()).isEqualTo(!remove);
      assertThat(Partials.journal(out).toFile().exists()).isEqualTo(!remove);
    }
    assertThat(failures).isEmpty();
    visit(true);
    assertThat(leftovers).isEmpty();
  }

  /** File systems that cannot exchange two names; the transfer was killed between two renames. */
  @Test
  void whatWasMovedAsideIsPutBackWhereNothingHasItsName() throws Exception {
    sandbox.write("out/.fdt-0000000000000001.old/sub/inside", "precious");
    sandbox.write("out/.fdt-0000000000000001.old.name", "name");
    sandbox.write("out/.fdt-0000000000000002.old/inside", "replaced");
    sandbox.write("out/.fdt-0000000000000002.old.name", "new");
    sandbox.write("out/new", "new");
    sandbox.write("out/.fdt-0000000000000003.old.name", "nothing was moved yet");

    visit(false);
    assertThat(sandbox.path("out/name")).doesNotExist();
    visit(true);

    assertThat(failures).isEmpty();
    assertThat(sandbox.path("out/name/sub/inside")).hasContent("precious");
    assertThat(sandbox.path("out").toFile().list()).containsExactlyInAnyOrder("name", "new");
    assertThat(leftovers)
        .containsExactlyInAnyOrder(
            new LeftoverVisitor.Leftover(
                out.resolve(".fdt-0000000000000001.old").toString(),
                0,
                out.resolve("name").toString(),
                false,
                true),
            new LeftoverVisitor.Leftover(
                out.resolve(".fdt-0000000000000002.old").toString(),
                8,
                out.resolve("new").toString(),
                false,
                false));
  }

  @Test
  void whatWasMovedAsideStaysWhereNothingSaysFromWhichName() throws Exception {
    sandbox.write("out/.fdt-0000000000000001.old/inside", "precious");
    sandbox.write("out/.fdt-0000000000000001.old.name", "");

    visit(true);

    assertThat(failures).hasSize(1);
    assertThat(sandbox.path("out/.fdt-0000000000000001.old/inside")).hasContent("precious");
  }

  @Test
  void whatARunningTransferHoldsStaysAndIsCompleted() throws Exception {
    try (DestinationDirectory.PendingFile file =
        directory.create(Partials.NAME, FileShape.of(Partials.VERSION, List.of()))) {
      Partials.write(file, 0, 1, 2);
      visit(true);
      assertThat(leftovers).hasSize(2).allMatch(LeftoverVisitor.Leftover::inUse);
      Partials.write(file, 3, 4, 5, 6, 7);
      file.publish(0644, MODIFIED, Durability.NONE);
    }
    assertThat(out.resolve("large")).hasSize(Partials.VERSION.size());
    assertThat(out.toFile().list()).containsExactly("large");
  }

  @Test
  void everyKindOfLeftoverAtAnyDepthIsFound() throws Exception {
    FileName old = FileName.of("old");
    sandbox.write("out/a/b/c/old", "an older version");
    sandbox.write("out/a/b/c/" + TemporaryName.of(old), "newer");
    sandbox.write("out/a/" + TemporaryName.Kind.JOURNAL.name(1), "a journal alone");
    sandbox.write("out/a/" + TemporaryName.Kind.NEXT_JOURNAL.name(2), "a journal half done");
    sandbox.write("out/a/" + TemporaryName.Kind.PART.name(3), "a file without a journal");

    visit(true);

    assertThat(failures).isEmpty();
    assertThat(leftovers)
        .extracting(LeftoverVisitor.Leftover::finalPath)
        .containsExactlyInAnyOrder("", "", "", sandbox.path("out/a/b/c/old").toString());
    assertThat(out.resolve("a").toFile().list()).containsExactly("b");
    assertThat(out.resolve("a/b/c").toFile().list()).containsExactly("old");
  }

  @Test
  void nothingElseIsTouchedAndNoLinkIsFollowed() throws Exception {
    String part = TemporaryName.Kind.PART.name(5).toString();
    sandbox.write("elsewhere/" + part, "not beneath the directory");
    sandbox.link("out/way", "../elsewhere");
    sandbox.link("out/" + TemporaryName.Kind.PART.name(6), "../elsewhere/" + part);
    sandbox.directory("out/" + TemporaryName.Kind.PART.name(7));
    sandbox.fifo("out/" + TemporaryName.Kind.PART.name(8));
    List<String> others =
        List.of(
            ".fdt-0123456789abcdef",
            ".fdt-0123456789abcdeg.part",
            ".fdt-1.part",
            "x.part",
            ".fdt-0123456789abcdef.part2",
            "x.fdt-0123456789abcdef.part");
    for (String other : others) {
      sandbox.write("out/" + other, "another's");
    }

    visit(true);

    assertThat(leftovers).isEmpty();
    assertThat(failures).isEmpty();
    assertThat(sandbox.path("elsewhere/" + part)).exists();
    assertThat(out.toFile().list()).hasSize(others.size() + 4);
  }

  @Test
  void whatCannotBeRemovedIsTold() throws Exception {
    Path inner = sandbox.directory("out/inner");
    Path part = sandbox.write("out/inner/" + TemporaryName.Kind.PART.name(9), "x");
    for (Path path = sandbox.path(); path.startsWith(sandbox.path()); path = path.getParent()) {
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    Files.setPosixFilePermissions(inner, PosixFilePermissions.fromString("r-xr-xr-x"));

    Sandbox.asOrdinaryUser(() -> visit(true));

    assertThat(failures).containsExactly(part.toString());
    assertThat(leftovers).isEmpty();
    assertThat(part).exists();
  }

  @Test
  void aDirectoryThatIsNotThereIsAnError() throws Exception {
    sandbox.write("file", "x");
    for (String path : List.of("missing", "file")) {
      assertFails(
          () ->
              StalePartials.visit(
                  sandbox.bytePath(path),
                  true,
                  new LeftoverVisitor() {
                    @Override
                    public void leftover(LeftoverVisitor.Leftover file) {
                      throw new AssertionError(file);
                    }

                    @Override
                    public void failed(String where, FdtException cause) {
                      throw new AssertionError(cause);
                    }
                  }),
          path.equals("file") ? ErrorCode.WRONG_KIND : ErrorCode.NOT_FOUND);
    }
  }
}
