package io.fdt.storage.local.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.ExportedStorage;
import io.fdt.core.storage.RemovalVisitor;
import io.fdt.storage.local.Sandbox;
import io.fdt.storage.local.os.ExportedRoots;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.OptionalInt;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An export for reading rejects every change. */
class ExportEditTest {
  private static final BytePath FIXED = BytePath.of("/fixed/file");
  private static final BytePath OPEN = BytePath.of("/open/file");

  private Sandbox sandbox;
  private ExportedRoots exports;

  @BeforeEach
  void open() throws Exception {
    sandbox = new Sandbox();
    Files.setLastModifiedTime(sandbox.write("fixed/file", "stays"), FileTime.fromMillis(0));
    sandbox.write("open/file", "x");
    exports =
        ExportedRoots.open(
            List.of(
                new ExportedStorage.Root(FileName.of("fixed"), sandbox.bytePath("fixed"), false),
                new ExportedStorage.Root(FileName.of("open"), sandbox.bytePath("open"), true)));
  }

  @AfterEach
  void close() throws Exception {
    exports.close();
    sandbox.close();
  }

  private void assertRefused(ThrowingCallable change) throws Exception {
    assertThatThrownBy(change)
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN))
        .hasMessageContaining("read-only");
    assertThat(sandbox.path("fixed").toFile().list()).containsExactly("file");
    assertThat(sandbox.path("fixed/file")).hasContent("stays");
    assertThat(Files.getLastModifiedTime(sandbox.path("fixed/file")).toMillis()).isZero();
  }

  @Test
  void noDirectoryIsMadeThere() throws Exception {
    for (boolean parents : new boolean[] {true, false}) {
      assertRefused(() -> ExportEdit.makeDirectory(exports, BytePath.of("/fixed/new"), parents));
    }
  }

  @Test
  void nothingIsRenamedFromThere() throws Exception {
    for (boolean replace : new boolean[] {true, false}) {
      assertRefused(() -> ExportEdit.rename(exports, FIXED, BytePath.of("/open/new"), replace));
    }
  }

  @Test
  void nothingIsRenamedToThere() throws Exception {
    for (String name : List.of("/fixed/file", "/fixed/new")) {
      assertRefused(() -> ExportEdit.rename(exports, OPEN, BytePath.of(name), true));
    }
  }

  @Test
  void noTreeIsRemovedThere() throws Exception {
    RemovalVisitor removal =
        new RemovalVisitor() {
          @Override
          public void removed(Attributes what) {}

          @Override
          public void failed(String path, FdtException cause) throws FdtException {
            throw cause;
          }
        };
    assertRefused(() -> ExportEdit.remove(exports, FIXED, true, removal));
  }

  @Test
  void noFileIsRemovedThere() throws Exception {
    assertRefused(() -> ExportEdit.removeOne(exports, FIXED));
  }

  @Test
  void noTimeAndNoModeIsChangedThere() throws Exception {
    Timestamp time = new Timestamp(1_000_000_000, 0);
    assertRefused(() -> ExportEdit.changeAttributes(exports, FIXED, time, OptionalInt.empty()));
    assertRefused(() -> ExportEdit.changeAttributes(exports, FIXED, null, OptionalInt.of(0600)));
  }
}
