package io.fdt.storage.local.destination;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.core.model.EntryKind;
import io.fdt.core.model.ExtendedAttribute;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Owner;
import io.fdt.core.model.Root;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.storage.local.LocalFileTest;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.FileCreationMask;
import io.fdt.storage.local.os.LinuxCalls;
import io.fdt.storage.local.os.Syscalls;
import io.fdt.storage.posix.Flags;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Files that get their name last. */
class UnnamedTempFilesTest extends LocalFileTest {
  private static final FileName NAME = FileName.of("name");
  private static final Timestamp MODIFIED = new Timestamp(1_600_000_000, 123_000_000);
  private static final Root TREE =
      new Root(FileName.of("tree"), EntryKind.DIRECTORY, 0755, MODIFIED);

  private LocalDestination destination;
  private DestinationDirectory fresh;

  @BeforeEach
  void open() throws Exception {
    destination = LocalDestination.trusted(sandbox.bytePath("out"), true);
    fresh = destination.open(List.of(TREE)).directory();
    Directory directory = ((LocalDestinationDirectory) fresh).directory();
    int descriptor =
        Syscalls.open(
            directory.pin(),
            Flags.ITSELF,
            Flags.O_TMPFILE | Flags.O_RDWR,
            FileCreationMask.TEMPORARY);
    directory.unpin();
    assumeTrue(descriptor >= 0, "this file system has no files without names");
    Syscalls.close(descriptor);
  }

  @AfterEach
  void close() {
    destination.close();
  }

  private boolean put(DestinationDirectory directory, String content, FileMetadata metadata)
      throws Exception {
    return directory.put(NAME, bytes(content), 04640, MODIFIED, metadata);
  }

  private static ByteBuf bytes(String content) {
    return Unpooled.copiedBuffer(content, StandardCharsets.UTF_8);
  }

  private List<String> names() throws Exception {
    try (var all = Files.list(sandbox.path("out"))) {
      return all.map(path -> path.getFileName().toString()).toList();
    }
  }

  @Test
  void bytesModeTimeAndNameArriveTogether() throws Exception {
    assertThat(put(fresh, "some bytes", FileMetadata.NONE)).isTrue();
    Path made = sandbox.path("out/name");
    assertThat(made).hasContent("some bytes");
    assertThat(Files.getAttribute(made, "unix:mode")).isEqualTo(Flags.S_IFREG | 0640);
    assertThat(Files.getLastModifiedTime(made).toInstant())
        .isEqualTo(java.time.Instant.ofEpochSecond(MODIFIED.seconds(), MODIFIED.nanos()));
    assertThat(Files.getAttribute(made, "unix:nlink")).isEqualTo(1);
    assertThat(names()).containsExactly("name");
  }

  @Test
  void anEmptyFileArrives() throws Exception {
    assertThat(put(fresh, "", FileMetadata.NONE)).isTrue();
    assertThat(sandbox.path("out/name")).isEmptyFile();
  }

  @Test
  void aNameThatIsTakenStays() throws Exception {
    Files.writeString(sandbox.path("out/name"), "another one's");
    assertThat(put(fresh, "some bytes", FileMetadata.NONE)).isFalse();
    assertThat(sandbox.path("out/name")).hasContent("another one's");
    assertThat(names()).containsExactly("name");
    assertThat(fresh.put(FileName.of("next"), bytes("x"), 0644, MODIFIED, FileMetadata.NONE))
        .as("the next one")
        .isTrue();
  }

  @Test
  void inADirectoryThatWasThereNothingIsDone() throws Exception {
    Files.createDirectory(sandbox.path("out/there"));
    DestinationDirectory there = fresh.makeDirectory(FileName.of("there"));
    assertThat(put(there, "some bytes", FileMetadata.NONE)).isFalse();
    assertThat(sandbox.path("out/there")).isEmptyDirectory();
  }

  @Test
  void whatNeedsMoreThanModeAndTimeIsLeftToTheLongWay() throws Exception {
    ExtendedAttribute attribute =
        new ExtendedAttribute("user.key".getBytes(StandardCharsets.UTF_8), new byte[] {1});
    assertThat(put(fresh, "x", FileMetadata.NONE.withMetadata(new Owner(1, 1), List.of())))
        .isFalse();
    assertThat(put(fresh, "x", FileMetadata.NONE.withMetadata(null, List.of(attribute)))).isFalse();
    assertThat(put(fresh, "x", FileMetadata.NONE.withSparse(true))).isFalse();
    assertThat(names()).isEmpty();
  }

  @Test
  void aDirectoryThatIsGoneIsLeftToTheLongWay() throws Exception {
    Files.delete(sandbox.path("out"));
    assertThat(put(fresh, "x", FileMetadata.NONE)).isFalse();
  }

  @Test
  void whatATreeThatWasClosedMeanwhileGotHasNoName() throws Exception {
    Directory directory = ((LocalDestinationDirectory) fresh).directory();
    directory.pin(); // as one who is at work in it
    try {
      destination.close();
      assertThat(put(fresh, "some bytes", FileMetadata.NONE)).isFalse();
    } finally {
      directory.unpin();
    }
    assertThat(names()).isEmpty();
  }

  @Test
  void bothWaysToGiveANameWork() throws Exception {
    Directory directory = ((LocalDestinationDirectory) fresh).directory();
    int pinned = directory.pin();
    try {
      for (String name : List.of("descriptor", "proc")) {
        int descriptor =
            Syscalls.open(
                pinned, Flags.ITSELF, Flags.O_TMPFILE | Flags.O_RDWR, FileCreationMask.TEMPORARY);
        FileName wanted = FileName.of(name);
        int result =
            name.equals("proc")
                ? LinuxCalls.linkByProc(descriptor, pinned, wanted)
                : Syscalls.link(descriptor, pinned, wanted);
        assertThat(result).as(name).isZero();
        Syscalls.close(descriptor);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path(name))))
            .isEqualTo("rw-------");
      }
    } finally {
      directory.unpin();
    }
  }

  private Path path(String name) {
    return sandbox.path("out").resolve(name);
  }
}
