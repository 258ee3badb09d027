package io.fdt.storage.local.destination;

import static io.fdt.core.storage.DestinationTreeContract.CONTENTS;
import static io.fdt.core.storage.DestinationTreeContract.MODIFIED;
import static io.fdt.core.storage.DestinationTreeContract.assertFails;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Owner;
import io.fdt.core.model.Preservation;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.Durability;
import io.fdt.core.storage.FileShape;
import io.fdt.core.storage.PartialFile;
import io.fdt.storage.local.LocalFileTest;
import io.netty.buffer.Unpooled;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/**
 * A dry run changes nothing. The contract of destinations covers written files, of which it has
 * none: this test checks that no call changes anything.
 */
class DryRunDestinationTest extends LocalFileTest {
  private static final FileName FILE = FileName.of("file");
  private static final FileName NEW = FileName.of("new");
  private static final Owner OWNER = new Owner(1, 1);

  @Test
  void nothingChangesWhateverIsCalled() throws Exception {
    sandbox.write("out/file", "content");
    sandbox.directory("out/directory");
    Map<String, String> before = everything();
    try (DryRunDestination tree = tree()) {
      DestinationDirectory directory = tree.open(List.of(CONTENTS)).directory();
      tree.force();
      for (FileName name : List.of(NEW, FileName.of("directory"))) {
        DestinationDirectory inner = directory.makeDirectory(name);
        inner.attach(FileMetadata.NONE.withMetadata(OWNER, List.of()), warning -> {});
        inner.finish(0700, MODIFIED, Durability.NONE);
        inner.finish(0700, MODIFIED, Durability.FORCED);
        inner.force();
      }
      assertThat(directory.replaceByDirectory(FILE).isFresh()).isTrue();
      directory.makeLink(NEW, BytePath.of("target"), MODIFIED, null, warning -> {});
      directory.makeLink(FILE, BytePath.of("target"), MODIFIED, OWNER, warning -> {});
      directory.finish(0700, MODIFIED, Durability.NONE);
    }
    assertThat(everything()).isEqualTo(before);
  }

  @Test
  void noFileIsMade() throws Exception {
    sandbox.directory("out");
    try (DryRunDestination tree = tree()) {
      DestinationDirectory directory = tree.open(List.of(CONTENTS)).directory();
      for (ThrowingCallable writing :
          List.<ThrowingCallable>of(
              () -> directory.create(NEW, FileShape.of(1)),
              () -> directory.create(Partials.NAME, FileShape.of(Partials.VERSION, List.of())),
              () ->
                  directory.create(
                      Partials.NAME,
                      new FileShape(Partials.VERSION.size(), true, Partials.VERSION, List.of())),
              () -> directory.makeHardLink(NEW, directory, FILE, 1))) {
        assertThatThrownBy(writing).isInstanceOf(IllegalStateException.class);
      }
      assertThat(directory.put(NEW, Unpooled.EMPTY_BUFFER, 0644, MODIFIED, FileMetadata.NONE))
          .isFalse();
    }
    assertThat(sandbox.path("out").toFile().list()).isEmpty();
  }

  @Test
  void itSeesWhatIsThereAndWhatWouldBeInTheWay() throws Exception {
    sandbox.write("out/file", "content");
    sandbox.directory("out/directory");
    try (DryRunDestination tree = tree()) {
      DestinationDirectory directory = tree.open(List.of(CONTENTS)).directory();
      Attributes found = directory.find(FILE).orElseThrow();
      assertThat(found.is(EntryKind.FILE)).isTrue();
      assertThat(directory.agrees(found, found.mode(), found.modified(), FileMetadata.NONE))
          .isTrue();
      assertThat(directory.agrees(found, found.mode() ^ 0100, null, FileMetadata.NONE)).isFalse();
      assertThat(directory.agrees(found, found.mode(), MODIFIED, FileMetadata.NONE)).isFalse();
      try (DestinationDirectory.ExistingFile file = directory.openExisting(FILE, found)) {
        assertThat(file.read(Unpooled.buffer(), 100, 0)).isEqualTo("content".length());
      }
      assertFails(() -> directory.makeDirectory(FILE), ErrorCode.WRONG_KIND);
      assertFails(
          () ->
              directory.makeLink(
                  FileName.of("directory"), BytePath.of("x"), MODIFIED, null, warning -> {}),
          ErrorCode.WRONG_KIND);
      DestinationDirectory missing = directory.makeDirectory(NEW);
      assertThat(missing.isFresh()).isTrue();
      assertThat(missing.find(FILE)).isEmpty();
      assertThat(missing.findPartial(Partials.NAME, Partials.VERSION)).isEqualTo(PartialFile.NONE);
    }
  }

  @Test
  void itSeesWhatAnInterruptedTransferLeft() throws Exception {
    sandbox.directory("out");
    try (LocalDestination real = LocalDestination.trusted(sandbox.bytePath("out"), true)) {
      Partials.interrupted(real.open(List.of(CONTENTS)).directory(), 0, 1);
    }
    Map<String, String> before = everything();
    try (DryRunDestination tree = tree()) {
      DestinationDirectory directory = tree.open(List.of(CONTENTS)).directory();
      assertThat(directory.findPartial(Partials.NAME, Partials.VERSION).kept()).hasSize(1);
    }
    assertThat(everything()).isEqualTo(before);
  }

  private DryRunDestination tree() {
    return DryRunDestination.trusted(
        sandbox.bytePath("out"), true, Preservation.DEFAULT, Optional.empty());
  }

  /** Paths, with mode, time, owner and size. */
  private Map<String, String> everything() throws Exception {
    Map<String, String> found = new TreeMap<>();
    try (Stream<Path> paths = Files.walk(sandbox.path("out"))) {
      for (Path path : paths.toList()) {
        Map<String, Object> attributes =
            new TreeMap<>(
                Files.readAttributes(path, "unix:mode,lastModifiedTime,uid,gid,size,ino"));
        found.put(path.toString(), attributes.toString());
      }
    }
    return found;
  }
}
