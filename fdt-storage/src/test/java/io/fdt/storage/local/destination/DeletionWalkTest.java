package io.fdt.storage.local.destination;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.DeletionRules;
import io.fdt.storage.local.LocalFileTest;
import io.fdt.storage.local.destination.replace.DeletionWalk;
import io.fdt.storage.local.destination.replace.Disposal;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.DirectoryScope;
import io.fdt.storage.local.os.IdleDirectories;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeletionWalkTest extends LocalFileTest {
  private final List<String> deleted = new ArrayList<>();

  /** More names arrived than can be remembered; the source lacks all names with "gone". */
  private class NothingRemembered implements DeletionRules {
    @Override
    public boolean isKnown(List<FileName> way, FileName name) {
      return false;
    }

    @Override
    public boolean isLeftOut(List<FileName> way, FileName name, boolean isDirectory) {
      return false;
    }

    @Override
    public int maxDepth() {
      return 4;
    }

    @Override
    public boolean oneFileSystem() {
      return false;
    }

    @Override
    public BitSet lacking(List<List<FileName>> paths) {
      BitSet lacking = new BitSet();
      for (int i = 0; i < paths.size(); i++) {
        List<FileName> path = paths.get(i);
        lacking.set(i, path.get(path.size() - 1).toString().startsWith("gone"));
      }
      return lacking;
    }

    @Override
    public void deleted(String path, EntryKind kind) {
      deleted.add(path);
    }

    @Override
    public void failed(String path, FdtException cause) {
      throw new AssertionError(path, cause);
    }
  }

  /** The source lacks the temporary name. */
  @Test
  void whatATransferMovedAsideAndDidNotReplaceIsPutBack() throws Exception {
    sandbox.write("top/.fdt-0000000000000001.old/inside", "precious");
    sandbox.write("top/.fdt-0000000000000001.old.name", "name");
    try (DirectoryScope scope = new DirectoryScope(new IdleDirectories(3))) {
      Directory base = Directory.at(scope, sandbox.bytePath("top"), BytePath.of("."));
      DeletionRules lackingAll =
          new NothingRemembered() {
            @Override
            public BitSet lacking(List<List<FileName>> paths) {
              BitSet lacking = new BitSet();
              for (int i = 0; i < paths.size(); i++) {
                lacking.set(i, paths.get(i).get(0).toString().startsWith(".fdt-"));
              }
              return lacking;
            }
          };
      new DeletionWalk(base, scope, lackingAll, Disposal.REMOVE, null).run(List.of());
    }
    assertThat(sandbox.path("top/name/inside")).hasContent("precious");
    assertThat(sandbox.path("top").toFile().list()).containsExactly("name");
  }

  @Test
  void aDirectoryThatIsNotRememberedIsLookedIntoWhenTheSourceHasIt() throws Exception {
    sandbox.write("top/a/b/gone", "x");
    sandbox.write("top/a/b/stays", "x");
    sandbox.write("top/a/b/c/gone", "x");
    sandbox.write("top/a/b/c/too-deep/gone", "x");
    sandbox.write("top/gone-too/file", "x");
    for (int i = 0; i < 600; i++) {
      sandbox.directory("top/many" + i);
    }
    sandbox.write("top/many599/gone", "x");
    try (DirectoryScope scope = new DirectoryScope(new IdleDirectories(3))) {
      Directory base = Directory.at(scope, sandbox.bytePath("top"), BytePath.of("."));
      new DeletionWalk(base, scope, new NothingRemembered(), Disposal.REMOVE, null).run(List.of());
    }
    assertThat(deleted)
        .containsExactlyInAnyOrder(
            "./a/b/gone", "./a/b/c/gone", "./gone-too/file", "./gone-too", "./many599/gone");
  }
}
