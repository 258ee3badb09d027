package io.fdt.storage.local.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Operand;
import io.fdt.core.model.Selection;
import io.fdt.core.storage.FaultyMount;
import io.fdt.storage.local.LocalFileTest;
import io.fdt.storage.local.Sandbox;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files that a source reports as missing; in doubt none. */
class SourceWitnessTest extends LocalFileTest {
  private List<String> lacking(List<Operand> operands, String... paths) {
    try (LocalSource source = LocalSource.trusted(operands, true, Selection.ALL)) {
      source.roots();
      List<List<FileName>> asked = new ArrayList<>();
      for (String path : paths) {
        asked.add(BytePath.of(path).names());
      }
      List<String> lacking = new ArrayList<>();
      source.lacking(asked).stream().forEach(i -> lacking.add(paths[i]));
      return lacking;
    }
  }

  @Test
  void onlyWhatIsBeneathACopiedDirectoryCanBeLacking() throws Exception {
    sandbox.write("top/a/b/there", "x");
    sandbox.write("file", "x");
    sandbox.link("top/link", "a");
    List<Operand> operands =
        List.of(
            Operand.of(sandbox.bytePath("top")),
            Operand.of(sandbox.bytePath("file")),
            operand(sandbox.bytePath("top/a"), "new/place"));

    assertThat(
            lacking(
                operands,
                "top",
                "top/a/b/there",
                "top/a/b/gone",
                "top/gone/deeper",
                "top/link",
                "top/link/b",
                "file",
                "beside",
                "new",
                "new/place",
                "new/other",
                "new/place/b",
                "new/place/c"))
        .containsExactly("top/a/b/gone", "top/gone/deeper", "new/place/c");
  }

  /** Servers of network file systems forget what a client has open, or fail. */
  @ParameterizedTest
  @ValueSource(strings = {"ESTALE", "EIO", "EACCES", "ENOTDIR"})
  void aSourceThatCannotBeAskedLacksNothing(String error) throws Exception {
    sandbox.write("top/a/there", "x");
    try (FaultyMount mount = FaultyMount.over(sandbox.path("top"))) {
      mount.fail(FaultyMount.Call.GETATTR, error, "a*");
      List<Operand> all = List.of(Operand.of(BytePath.of(mount.path() + "/")));
      assertThat(lacking(all, "a/there", "a/gone", "a", "gone")).containsExactly("gone");
    }
  }

  @Test
  void whatOneOfTwoSourcesHasIsNotLacking() throws Exception {
    sandbox.write("one/x", "x");
    sandbox.write("two/y", "x");
    List<Operand> operands =
        List.of(Operand.of(sandbox.bytePath("one/")), Operand.of(sandbox.bytePath("two/")));

    assertThat(lacking(operands, "x", "y", "z")).containsExactly("z");
  }

  @Test
  void whatCannotBeLookedAtIsNotLacking() throws Exception {
    Path closed = sandbox.directory("top/closed");
    for (Path path : List.of(sandbox.path(), sandbox.path("top"))) {
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("---------"));

    Sandbox.asOrdinaryUser(
        () ->
            assertThat(
                    lacking(List.of(Operand.of(sandbox.bytePath("top/"))), "closed/gone", "gone"))
                .containsExactly("gone"));
  }
}
