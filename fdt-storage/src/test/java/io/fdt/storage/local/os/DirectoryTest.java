package io.fdt.storage.local.os;

import static io.fdt.core.storage.DestinationTreeContract.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.FileName;
import io.fdt.storage.local.LocalFileTest;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Descriptors of directories: how many stay open, and that a directory stays the same one. */
class DirectoryTest extends LocalFileTest {
  private final IdleDirectories idle = new IdleDirectories(3);

  @Test
  void onlySoManyIdleDirectoriesStayOpenAndAllCanBeUsed() throws Exception {
    for (int i = 0; i < 50; i++) {
      sandbox.write("d" + i + "/file", "x");
    }
    try (DirectoryScope scope = new DirectoryScope(idle)) {
      Directory root = Directory.at(scope, sandbox.bytePath(""), sandbox.bytePath(""));
      List<Directory> children = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        children.add(root.child(scope, FileName.of("d" + i)));
        assertThat(Syscalls.openDescriptors()).isLessThanOrEqualTo(3);
      }
      for (Directory child : children) {
        assertThat(child.find(FileName.of("file"))).isNotNull();
      }
      assertThat(Syscalls.openDescriptors()).isLessThanOrEqualTo(3);
    }
    assertThat(Syscalls.openDescriptors()).isZero();
  }

  @Test
  void pinnedDirectoryStaysOpenWhateverElseIsUsed() throws Exception {
    sandbox.directory("pinned");
    try (DirectoryScope scope = new DirectoryScope(idle)) {
      Directory root = Directory.at(scope, sandbox.bytePath(""), sandbox.bytePath(""));
      Directory pinned = root.child(scope, FileName.of("pinned"));
      int descriptor = pinned.pin();
      for (int i = 0; i < 10; i++) {
        sandbox.directory("d" + i);
        root.child(scope, FileName.of("d" + i));
      }
      assertThat(pinned.pin()).isEqualTo(descriptor);
      pinned.unpin();
      pinned.unpin();
    }
  }

  @Test
  void closedScopeClosesADirectoryWhenItsLastUseEnds() throws Exception {
    DirectoryScope scope = new DirectoryScope(idle);
    Directory root = Directory.at(scope, sandbox.bytePath(""), sandbox.bytePath(""));
    root.pin();
    scope.close();
    assertThat(Syscalls.openDescriptors()).isEqualTo(1);
    root.unpin();
    assertThat(Syscalls.openDescriptors()).isZero();
    assertFails(root::pin, ErrorCode.CANCELLED);
  }

  @Test
  void manyThreadsUseMoreDirectoriesThanMayBeOpen() throws Exception {
    List<FileName> names = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      sandbox.write("a/b" + i + "/file", "x");
      names.add(FileName.of("b" + i));
    }
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try (DirectoryScope scope = new DirectoryScope(idle)) {
      Directory root = Directory.at(scope, sandbox.bytePath(""), sandbox.bytePath(""));
      Directory parent = root.child(scope, FileName.of("a"));
      List<Directory> children = new ArrayList<>();
      for (FileName name : names) {
        children.add(parent.child(scope, name));
      }
      List<Future<?>> results = new ArrayList<>();
      for (int i = 0; i < 4000; i++) {
        Directory child = children.get(i * 7 % children.size());
        results.add(
            threads.submit(
                () -> {
                  assertThat(child.find(FileName.of("file"))).isNotNull();
                  return null;
                }));
      }
      for (Future<?> result : results) {
        result.get(30, TimeUnit.SECONDS);
      }
      assertThat(Syscalls.openDescriptors()).isLessThanOrEqualTo(3);
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void replacedDirectoryIsNotTakenForTheFirstOne() throws Exception {
    sandbox.directory("a");
    try (DirectoryScope scope = new DirectoryScope(new IdleDirectories(0))) {
      Directory root = Directory.at(scope, sandbox.bytePath(""), sandbox.bytePath(""));
      Directory child = root.child(scope, FileName.of("a"));
      Files.move(sandbox.path("a"), sandbox.path("b"));
      sandbox.directory("a");
      assertFails(child::pin, ErrorCode.SOURCE_CHANGED);
      Files.delete(sandbox.path("a"));
      sandbox.link("a", "b");
      assertFails(child::pin, ErrorCode.WRONG_KIND);
    }
  }

  @Test
  void pathForPeopleIsOneLine() throws Exception {
    sandbox.directory("a\nb");
    try (DirectoryScope scope = new DirectoryScope(idle)) {
      Directory root =
          Directory.at(scope, sandbox.bytePath(""), io.fdt.core.model.BytePath.of("/"));
      Directory child = root.child(scope, FileName.of("a\nb"));
      assertThat(child.pathOf(FileName.of(new byte[] {(byte) 0xFF}))).isEqualTo("/a\\nb/\\xff");
    }
  }
}
