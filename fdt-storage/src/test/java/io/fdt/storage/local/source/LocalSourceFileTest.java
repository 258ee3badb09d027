package io.fdt.storage.local.source;

import static io.fdt.core.storage.DestinationTreeContract.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.Changing;
import io.fdt.core.storage.BlockReader;
import io.fdt.core.storage.RecordedWalk;
import io.fdt.core.storage.SourceTree;
import io.fdt.storage.local.LocalFileTest;
import io.fdt.storage.local.os.IdleDirectories;
import io.fdt.storage.local.os.Syscalls;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Files that change between the walk, their opening and the end of their reading. */
class LocalSourceFileTest extends LocalFileTest {
  private LocalSource source;

  private SourceTree.SourceFile found(String relativePath) throws Exception {
    source = source(relativePath);
    return RecordedWalk.of(source).files.values().iterator().next();
  }

  @org.junit.jupiter.api.AfterEach
  void closeSource() {
    source.close();
    source.close();
    assertThat(Syscalls.openDescriptors()).isZero();
  }

  @Test
  void smallFilesAreReadWhole() throws Exception {
    sandbox.write("file", "12345");
    sandbox.write("empty", "");
    ByteBuf buffer = Unpooled.directBuffer();
    buffer.writeByte('0');
    found("file").readWhole(buffer, 5);
    source.close();
    found("empty").readWhole(buffer, 0);
    assertThat(buffer.toString(StandardCharsets.US_ASCII)).isEqualTo("012345");
    buffer.release();
  }

  @Test
  void vanishedFileIsNotFound() throws Exception {
    SourceTree.SourceFile file = found(name(sandbox.write("file", "x")));
    Files.delete(sandbox.path("file"));
    assertCannotBeRead(file, ErrorCode.NOT_FOUND);
  }

  @Test
  void otherFileOfTheSameNameSizeAndTimeIsNotTakenForIt() throws Exception {
    Path path = sandbox.write("file", "x");
    SourceTree.SourceFile file = found("file");
    FileTime time = Files.getLastModifiedTime(path);
    Path other = Files.setLastModifiedTime(sandbox.write("other", "y"), time);
    Files.move(other, path, StandardCopyOption.REPLACE_EXISTING);
    assertCannotBeRead(file, ErrorCode.SOURCE_CHANGED);
  }

  @Test
  void linkInPlaceOfTheFileIsNotFollowed() throws Exception {
    Path path = sandbox.write("file", "x");
    SourceTree.SourceFile file = found("file");
    Files.delete(path);
    sandbox.link("file", "/etc/passwd");
    assertCannotBeRead(file, ErrorCode.SOURCE_CHANGED);
  }

  @Test
  void fifoInPlaceOfTheFileDoesNotBlock() throws Exception {
    Path path = sandbox.write("file", "x");
    SourceTree.SourceFile file = found("file");
    Files.delete(path);
    sandbox.fifo("file");
    org.junit.jupiter.api.Assertions.assertTimeoutPreemptively(
        Duration.ofSeconds(10), () -> assertCannotBeRead(file, ErrorCode.SOURCE_CHANGED));
  }

  @Test
  void linkInPlaceOfADirectoryIsNotFollowed() throws Exception {
    sandbox.write("data/inner/file", "x");
    sandbox.write("elsewhere/file", "x");
    SourceTree.SourceFile file = found("data");
    evictAll();
    Files.move(sandbox.path("data/inner"), sandbox.path("data/moved"));
    sandbox.link("data/inner", "../elsewhere");
    assertCannotBeRead(file, ErrorCode.WRONG_KIND);
  }

  @Test
  void otherDirectoryOfTheSameNameIsNotTakenForIt() throws Exception {
    sandbox.write("data/inner/file", "x");
    SourceTree.SourceFile file = found("data");
    evictAll();
    Files.move(sandbox.path("data/inner"), sandbox.path("data/moved"));
    sandbox.write("data/inner/file", "x");
    assertCannotBeRead(file, ErrorCode.SOURCE_CHANGED);
  }

  @Test
  void growthIsSeenAtOpeningAndAtTheEnd() throws Exception {
    Path path = sandbox.write("file", "12345");
    SourceTree.SourceFile file = found("file");
    try (BlockReader reader = file.open()) {
      reader.checkUnchanged();
      Files.writeString(path, "123456");
      assertThat(assertFails(reader::checkUnchanged, ErrorCode.SOURCE_CHANGED))
          .hasMessageContaining("from 5 to 6 bytes");
    }
    assertCannotBeRead(file, ErrorCode.SOURCE_CHANGED);
  }

  @Test
  void growthIsNotedWhereFilesAreCopiedThatChange() throws Exception {
    Path path = sandbox.write("file", "12345");
    source = source("file").changing(Changing.COPY);
    SourceTree.SourceFile file = RecordedWalk.of(source).files.values().iterator().next();
    ByteBuf buffer = Unpooled.directBuffer();
    try (BlockReader reader = file.open()) {
      reader.checkUnchanged();
      assertThat(file.change()).isEmpty();
      Files.writeString(path, "6", StandardOpenOption.APPEND);
      reader.checkUnchanged();
      assertThat(file.change()).contains("file' changed", "5 to 6", "first 5 bytes");
      assertFails(() -> file.readWhole(buffer, 5), ErrorCode.SOURCE_CHANGED);
      Files.writeString(path, "1");
      assertFails(reader::checkUnchanged, ErrorCode.SOURCE_CHANGED);
    } finally {
      buffer.release();
    }
    Files.delete(path);
    assertFails(file::open, ErrorCode.NOT_FOUND);
  }

  @Test
  void newTimeWithTheSameSizeIsSeen() throws Exception {
    Path path = sandbox.write("file", "12345");
    SourceTree.SourceFile file = found("file");
    try (BlockReader reader = file.open()) {
      Files.setLastModifiedTime(path, FileTime.fromMillis(1));
      assertFails(reader::checkUnchanged, ErrorCode.SOURCE_CHANGED);
    }
    assertCannotBeRead(file, ErrorCode.SOURCE_CHANGED);
  }

  @Test
  void shrunkFileGivesAShortRead() throws Exception {
    Path path = sandbox.write("file", "12345");
    try (BlockReader reader = found("file").open()) {
      Files.writeString(path, "1");
      ByteBuf buffer = Unpooled.buffer();
      assertThat(reader.read(buffer, 5, 0)).isEqualTo(1);
    }
  }

  @Test
  void bytesBeyondFourGibibytesAreRead() throws Exception {
    long size = (1L << 32) + 1;
    try (RandomAccessFile sparse = new RandomAccessFile(sandbox.path("file").toFile(), "rw")) {
      sparse.seek(size - 1);
      sparse.write(7);
    }
    try (BlockReader reader = found("file").open()) {
      ByteBuf buffer = Unpooled.directBuffer();
      assertThat(reader.read(buffer, 10, size - 2)).isEqualTo(2);
      assertThat(buffer.readByte()).isZero();
      assertThat(buffer.readByte()).isEqualTo((byte) 7);
      buffer.release();
    }
  }

  @Test
  void closingTheSourceClosesItsReaders() throws Exception {
    sandbox.write("file", "12345");
    BlockReader reader = found("file").open();
    source.close();
    assertFails(() -> reader.read(Unpooled.buffer(), 5, 0), ErrorCode.CANCELLED);
    assertThat(Syscalls.openDescriptors()).isZero();
  }

  @Test
  void pathIsThatOfTheUserAndItsDiskIsKnown() throws Exception {
    sandbox.write("data/inner/file", "x");
    SourceTree.SourceFile file = found("data");
    assertThat(file.path()).isEqualTo(sandbox.path("data/inner/file").toString());
    assertThat(file.disk().name()).matches("[-\\w!]+|\\d+:\\d+");
  }

  /** Neither block by block nor at once. */
  private void assertCannotBeRead(SourceTree.SourceFile file, ErrorCode code) {
    assertFails(file::open, code);
    assertFails(() -> file.readWhole(Unpooled.buffer(), 1), code);
  }

  /** Makes every directory of this process closed, as if many others had been used since. */
  private void evictAll() {
    IdleDirectories.OF_PROCESS.all().forEach(IdleDirectories.Idle::closeIfIdle);
  }

  private String name(Path path) {
    return path.getFileName().toString();
  }
}
