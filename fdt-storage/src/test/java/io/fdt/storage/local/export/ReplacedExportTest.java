package io.fdt.storage.local.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.ExportedStorage;
import io.fdt.core.storage.Storage.Depth;
import io.fdt.storage.local.LocalExports;
import io.fdt.storage.local.Sandbox;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Something else takes the place of an export while the server runs: no stale tree is served. */
class ReplacedExportTest {
  private static final BytePath EXPORT = BytePath.of("/run");

  private Sandbox sandbox;
  private LocalExports exports;

  @BeforeEach
  void open() throws Exception {
    sandbox = new Sandbox();
    sandbox.write("run/old", "old");
    sandbox.write("other/new", "new");
    Files.createSymbolicLink(sandbox.path("link"), Path.of("run"));
    exports =
        LocalExports.open(
            List.of(
                new ExportedStorage.Root(FileName.of("run"), sandbox.bytePath("run"), true),
                new ExportedStorage.Root(FileName.of("link"), sandbox.bytePath("link"), false)));
  }

  @AfterEach
  void close() throws Exception {
    exports.close();
    sandbox.close();
  }

  private List<String> names(BytePath path) throws Exception {
    List<String> names = new ArrayList<>();
    exports.list(path, Depth.CONTENTS, item -> names.add(item.name().toString()));
    return names;
  }

  private static void assertReplaced(ThrowingCallable use) {
    assertThatThrownBy(use)
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.SOURCE_CHANGED))
        .hasMessageContaining("is not the directory any more that the server opened");
  }

  @Test
  void anotherDirectoryUnderItsPathIsNotTakenForIt() throws Exception {
    Files.move(sandbox.path("run"), sandbox.path("moved"));
    Files.move(sandbox.path("other"), sandbox.path("run"));

    assertReplaced(() -> names(EXPORT));
    assertReplaced(() -> exports.makeDirectory(BytePath.of("/run/made"), false));
    assertReplaced(() -> exports.check(EXPORT, true));
    assertThat(sandbox.path("moved").toFile().list()).containsExactly("old");
    assertThat(names(BytePath.of("/"))).containsExactlyInAnyOrder("run", "link");
  }

  @Test
  void aDirectoryThatHasGoneIsNoEmptyOne() throws Exception {
    Files.move(sandbox.path("run"), sandbox.path("moved"));

    assertReplaced(() -> names(EXPORT));
  }

  @Test
  void aLinkThatLeadsElsewhereIsNotFollowedAgain() throws Exception {
    assertThat(names(BytePath.of("/link"))).containsExactly("old");
    Files.delete(sandbox.path("link"));
    Files.createSymbolicLink(sandbox.path("link"), Path.of("other"));

    assertReplaced(() -> names(BytePath.of("/link")));
  }
}
