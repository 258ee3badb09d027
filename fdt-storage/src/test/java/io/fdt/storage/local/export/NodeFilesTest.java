package io.fdt.storage.local.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.ExportedStorage;
import io.fdt.core.storage.NodeFiles;
import io.fdt.core.storage.name.TemporaryName;
import io.fdt.storage.local.Sandbox;
import io.fdt.storage.local.os.ExportedRoots;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A front end names files to its data node. */
class NodeFilesTest {
  private static final String PART = TemporaryName.Kind.PART.name(7).toString();

  private Sandbox sandbox;
  private ExportedRoots exports;
  private NodeFiles files;

  @BeforeEach
  void open() throws Exception {
    sandbox = new Sandbox();
    sandbox.directory("shared");
    exports =
        ExportedRoots.open(
            List.of(
                new ExportedStorage.Root(FileName.of("data"), sandbox.bytePath("shared"), true)));
    files = new LocalNodeFiles(exports);
  }

  @AfterEach
  void close() throws Exception {
    files.close();
    exports.close();
    sandbox.close();
  }

  private static BytePath path(String name) {
    return BytePath.of("/data/" + name);
  }

  private static long inode(Path file) throws Exception {
    return (Long) Files.getAttribute(file, "unix:ino");
  }

  private static Timestamp modified(Path file) throws Exception {
    Instant time = Files.getLastModifiedTime(file).toInstant();
    return new Timestamp(time.getEpochSecond(), time.getNano());
  }

  private static ErrorCode refusal(ThrowingCallable call) {
    return catchThrowableOfType(FdtException.class, call).code();
  }

  @Test
  void onlyPartialFilesAreOpenedForWriting() throws Exception {
    long partial = inode(sandbox.write("shared/" + PART, "part"));
    long whole = inode(sandbox.write("shared/whole", "whole"));

    NodeFiles.Partial opened = files.partial(path(PART), partial);
    opened.close();
    assertThat(refusal(() -> files.partial(path("whole"), whole))).isEqualTo(ErrorCode.FORBIDDEN);
  }

  @Test
  void inAnExportForReadingNoPartialFileIsOpenedForWriting() throws Exception {
    long partial = inode(sandbox.write("shared/" + PART, "part"));

    try (NodeFiles reading = new LocalNodeFiles(exports.view(Set.of(), true))) {
      assertThat(refusal(() -> reading.partial(path(PART), partial)))
          .isEqualTo(ErrorCode.FORBIDDEN);
    }
  }

  @Test
  void aLinkLeadsToNoSource() throws Exception {
    Path outside = sandbox.write("outside/f", "content");
    sandbox.link("shared/link", "../outside/f");
    sandbox.link("shared/directory", "../outside");

    for (String name : List.of("link", "directory/f", "../outside/f")) {
      assertThat(
              catchThrowableOfType(
                  FdtException.class,
                  () -> files.source(path(name), 7, modified(outside), inode(outside))))
          .as(name)
          .isNotNull();
    }
  }

  @Test
  void aLinkIsNoPartialFile() throws Exception {
    long outside = inode(sandbox.write("outside", "of the export"));
    sandbox.link("shared/" + PART, "../outside");

    assertThat(catchThrowableOfType(FdtException.class, () -> files.partial(path(PART), outside)))
        .isNotNull();
  }

  @Test
  void anotherPartialFileUnderTheNameIsLeftAlone() throws Exception {
    long inode = inode(sandbox.write("shared/" + PART, "part"));

    assertThat(refusal(() -> files.partial(path(PART), inode + 1)))
        .isEqualTo(ErrorCode.SOURCE_CHANGED);
  }

  @Test
  void aSourceIsReadOnlyIfItIsTheVeryFile() throws Exception {
    Path file = sandbox.write("shared/f", "content");
    Timestamp time = modified(file);
    Timestamp later = new Timestamp(time.seconds() + 1, time.nanos());
    long inode = inode(file);

    assertThat(files.source(path("f"), 7, time, inode)).isNotNull();
    assertThat(refusal(() -> files.source(path("f"), 7, time, inode + 1)))
        .isEqualTo(ErrorCode.SOURCE_CHANGED);
    assertThat(refusal(() -> files.source(path("f"), 8, time, inode)))
        .isEqualTo(ErrorCode.SOURCE_CHANGED);
    assertThat(refusal(() -> files.source(path("f"), 7, later, inode)))
        .isEqualTo(ErrorCode.SOURCE_CHANGED);
  }
}
