package io.fdt.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What programs rely on when they use {@code java.nio.file}. The same assertions run on the default
 * file system, which shows that they are right, and on {@code fdt://}.
 */
@Timeout(60)
abstract class FileSystemContract {
  /** The files as this machine has them: what the provider cannot make is made here. */
  Path disk;

  /** The directory for all tests, on this machine. */
  abstract Path base();

  /** The directory {@link #disk} as a path of the file system under test. */
  abstract Path root() throws Exception;

  @BeforeEach
  void makeDirectory() throws IOException {
    disk = Files.createTempDirectory(base(), "test-");
  }

  private Path path(String name) throws Exception {
    return root().resolve(name);
  }

  private Path write(String name, String text) throws Exception {
    Files.writeString(disk.resolve(name), text);
    return path(name);
  }

  /** Bytes that say where they are, so that a wrong offset is seen. */
  private static byte[] content(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  private Path writeBytes(String name, byte[] bytes) throws Exception {
    Files.write(disk.resolve(name), bytes);
    return path(name);
  }

  @Test
  void smallFileIsReadInEveryWay() throws Exception {
    Path file = write("file", "line one\nline two\n");
    assertThat(Files.readString(file)).isEqualTo("line one\nline two\n");
    assertThat(Files.readAllLines(file)).containsExactly("line one", "line two");
    assertThat(Files.readAllBytes(file)).hasSize(18);
    assertThat(Files.size(file)).isEqualTo(18);
    try (InputStream in = Files.newInputStream(file)) {
      assertThat(in.skip(5)).isEqualTo(5);
      assertThat(in.readNBytes(3)).isEqualTo("one".getBytes(StandardCharsets.UTF_8));
      assertThat(in.readAllBytes()).hasSize(10);
      assertThat(in.read()).isEqualTo(-1);
    }
    try (Stream<String> lines = Files.lines(file)) {
      assertThat(lines).hasSize(2);
    }
  }

  @Test
  void emptyFile() throws Exception {
    Path file = write("empty", "");
    assertThat(Files.readAllBytes(file)).isEmpty();
    assertThat(Files.size(file)).isZero();
    try (SeekableByteChannel channel = Files.newByteChannel(file)) {
      assertThat(channel.read(ByteBuffer.allocate(10))).isEqualTo(-1);
    }
    Path made = Files.createFile(path("made"));
    assertThat(Files.size(made)).isZero();
    assertThat(disk.resolve("made")).isEmptyFile();
  }

  @ParameterizedTest
  @ValueSource(
      ints = {1, 65_535, 65_536, 65_537, 131_072, 1 << 20, (1 << 20) + 1, (4 << 20) - 1, 5_000_001})
  void largeFilesInAndOut(int length) throws Exception {
    byte[] bytes = content(length);
    Path file = writeBytes("in", bytes);
    assertThat(Files.readAllBytes(file)).isEqualTo(bytes);
    try (InputStream in = Files.newInputStream(file)) {
      assertThat(in.readAllBytes()).isEqualTo(bytes);
    }
    assertThat(Files.write(path("out"), bytes)).isEqualTo(path("out"));
    assertThat(Files.readAllBytes(disk.resolve("out"))).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a space",
        "100%",
        "%41",
        "plus+",
        "question?",
        "hash#",
        "semi;colon",
        "quote\"'",
        "back\\slash",
        "ünïcödé",
        "日本語",
        "emoji-\uD83D\uDE00",
        "colon:x",
        "-dash",
        "~tilde",
        "[br]{ace}",
        "star*",
        "line\nbreak",
        "tab\t",
        "e\u0301-is-not-\u00e9",
        ".hidden",
        "a&b=c",
        "trailing ",
        "amp&lt;"
      })
  void oddNames(String name) throws Exception {
    Path file = path(name);
    Files.writeString(file, name);
    assertThat(disk.resolve(name)).hasContent(name);
    assertThat(file.getFileName().toString()).isEqualTo(name);
    assertThat(Path.of(file.toUri())).isEqualTo(file);
    try (Stream<Path> list = Files.list(root())) {
      assertThat(list).containsExactly(file);
    }
    assertThat(Files.readString(Path.of(file.toUri()))).isEqualTo(name);
    Files.delete(file);
    assertThat(disk.resolve(name)).doesNotExist();
  }

  @Test
  void walks() throws Exception {
    Files.createDirectories(disk.resolve("a/b/c"));
    write("a/x", "1");
    write("a/b/y", "22");
    write("a/b/c/z", "333");
    try (Stream<Path> walk = Files.walk(path("a"))) {
      assertThat(walk.map(p -> path0("a").relativize(p).toString()))
          .containsExactlyInAnyOrder("", "x", "b", "b/y", "b/c", "b/c/z");
    }
    try (Stream<Path> found = Files.find(path("a"), 9, (p, a) -> a.isRegularFile())) {
      assertThat(found.map(p -> p.getFileName().toString()))
          .containsExactlyInAnyOrder("x", "y", "z");
    }
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(path("a"), "[x-z]*")) {
      assertThat(stream).containsExactly(path("a/x"));
    }
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(path("a"))) {
      assertThat(stream.iterator()).hasNext();
      assertThatThrownBy(stream::iterator).isInstanceOf(IllegalStateException.class);
    }
  }

  private Path path0(String name) {
    try {
      return path(name);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void deletesTreeByVisitor() throws Exception {
    Files.createDirectories(disk.resolve("a/b/c"));
    write("a/b/y", "22");
    Files.walkFileTree(
        path("a"),
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path directory, IOException failure)
              throws IOException {
            Files.delete(directory);
            return FileVisitResult.CONTINUE;
          }
        });
    assertThat(disk.resolve("a")).doesNotExist();
  }

  @Test
  void whatWasListedIsSeenAsItIsAfterAChange() throws Exception {
    write("one", "1");
    List<Path> listed;
    try (Stream<Path> list = Files.list(root())) {
      listed = list.toList();
    }
    assertThat(Files.size(listed.get(0))).isEqualTo(1);
    Files.writeString(path("one"), "more");
    assertThat(Files.size(listed.get(0))).isEqualTo(4);
    Files.delete(path("one"));
    assertThat(Files.exists(listed.get(0))).isFalse();
  }

  @Test
  void attributes() throws Exception {
    Path file = write("file", "12345");
    Instant time = Instant.parse("2001-02-03T04:05:06.123456789Z");
    Files.setLastModifiedTime(disk.resolve("file"), FileTime.from(time));
    Files.setPosixFilePermissions(
        disk.resolve("file"), PosixFilePermissions.fromString("rwxr-x---"));
    BasicFileAttributes basic = Files.readAttributes(file, BasicFileAttributes.class);
    assertThat(basic.size()).isEqualTo(5);
    assertThat(basic.isRegularFile()).isTrue();
    assertThat(basic.isDirectory() || basic.isSymbolicLink() || basic.isOther()).isFalse();
    assertThat(basic.lastModifiedTime().toInstant()).isEqualTo(time);
    PosixFileAttributes posix = Files.readAttributes(file, PosixFileAttributes.class);
    assertThat(PosixFilePermissions.toString(posix.permissions())).isEqualTo("rwxr-x---");
    assertThat(Files.getAttribute(file, "size")).isEqualTo(5L);
    assertThat(Files.readAttributes(file, "posix:permissions,isDirectory"))
        .containsOnlyKeys("permissions", "isDirectory");
    assertThat(Files.readAttributes(file, "*")).containsKeys("size", "lastModifiedTime", "fileKey");
    assertThatThrownBy(() -> Files.readAttributes(file, "none"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Files.readAttributes(file, "none:*"))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThat(Files.readAttributes(root(), BasicFileAttributes.class).isDirectory()).isTrue();
    assertThat(Files.isHidden(path(".x"))).isTrue();
    assertThat(Files.isHidden(file)).isFalse();
  }

  @Test
  void attributesAreSet() throws Exception {
    Path file = write("file", "12345");
    FileTime time = FileTime.from(Instant.parse("1970-01-01T00:00:01.5Z"));
    Files.setLastModifiedTime(file, time);
    assertThat(Files.getLastModifiedTime(disk.resolve("file"))).isEqualTo(time);
    assertThat(Files.getLastModifiedTime(file)).isEqualTo(time);
    Set<PosixFilePermission> permissions = PosixFilePermissions.fromString("rw-r-----");
    Files.setPosixFilePermissions(file, permissions);
    assertThat(Files.getPosixFilePermissions(disk.resolve("file"))).isEqualTo(permissions);
    Path directory = Files.createDirectory(path("dir"));
    Files.setAttribute(
        directory, "posix:permissions", PosixFilePermissions.fromString("rwx------"));
    Files.setAttribute(directory, "lastModifiedTime", time);
    assertThat(Files.getLastModifiedTime(disk.resolve("dir"))).isEqualTo(time);
    assertThat(Files.getPosixFilePermissions(disk.resolve("dir")))
        .isEqualTo(PosixFilePermissions.fromString("rwx------"));
    Files.getFileAttributeView(file, BasicFileAttributeView.class).setTimes(null, null, null);
    assertThat(Files.getLastModifiedTime(file)).isEqualTo(time);
    Path made =
        Files.createDirectory(
            path("private"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(made)))
        .isEqualTo("rwx------");
    assertThatThrownBy(() -> Files.setLastModifiedTime(path("none"), time))
        .isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void whatIsMissing() throws Exception {
    Path none = path("none");
    assertThat(Files.exists(none)).isFalse();
    assertThat(Files.notExists(none)).isTrue();
    assertThatThrownBy(() -> Files.readString(none)).isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> Files.newInputStream(none).close())
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> Files.size(none)).isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> Files.delete(none)).isInstanceOf(NoSuchFileException.class);
    assertThat(Files.deleteIfExists(none)).isFalse();
    assertThatThrownBy(() -> Files.newDirectoryStream(none))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> Files.createDirectory(none.resolve("deep")))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> Files.writeString(none.resolve("file"), ""))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> Files.writeString(none, "", StandardOpenOption.WRITE))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> Files.move(none, path("other")))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> Files.copy(none, path("other")))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(none::toRealPath).isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void whatIsInTheWay() throws Exception {
    Path file = write("file", "stays");
    Files.createDirectories(disk.resolve("dir/sub"));
    Path directory = path("dir");
    assertThatThrownBy(() -> Files.createFile(file)).isInstanceOf(FileAlreadyExistsException.class);
    assertThatThrownBy(() -> Files.createDirectory(file))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThatThrownBy(() -> Files.createDirectory(directory))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThatThrownBy(() -> Files.writeString(file, "", StandardOpenOption.CREATE_NEW))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThatThrownBy(() -> Files.delete(directory))
        .isInstanceOf(DirectoryNotEmptyException.class);
    assertThatThrownBy(() -> Files.newDirectoryStream(file))
        .isInstanceOf(NotDirectoryException.class);
    assertThatThrownBy(() -> Files.readString(file.resolve("below")))
        .isInstanceOf(FileSystemException.class);
    assertThat(Files.exists(file.resolve("below"))).isFalse();
    assertThatThrownBy(() -> Files.writeString(directory, ""))
        .isInstanceOf(FileSystemException.class);
    assertThatThrownBy(() -> Files.readString(directory)).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> Files.copy(file, directory))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThatThrownBy(() -> Files.move(file, directory))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThatThrownBy(() -> Files.move(file, directory, StandardCopyOption.REPLACE_EXISTING))
        .isInstanceOf(DirectoryNotEmptyException.class);
    assertThat(Files.readString(file)).isEqualTo("stays");
    Files.createDirectories(directory.resolve("sub/deep/deeper"));
    assertThat(disk.resolve("dir/sub/deep/deeper")).isDirectory();
  }

  @Test
  void moves() throws Exception {
    Path file = write("file", "content");
    Files.createDirectory(disk.resolve("dir"));
    Path moved = Files.move(file, path("dir/moved"));
    assertThat(disk.resolve("file")).doesNotExist();
    assertThat(Files.readString(moved)).isEqualTo("content");
    write("old", "old");
    assertThatThrownBy(() -> Files.move(moved, path("old")))
        .isInstanceOf(FileAlreadyExistsException.class);
    Files.move(moved, path("old"), StandardCopyOption.REPLACE_EXISTING);
    assertThat(disk.resolve("old")).hasContent("content");
    write("older", "older");
    Files.move(path("old"), path("older"), StandardCopyOption.ATOMIC_MOVE);
    assertThat(disk.resolve("older")).hasContent("content");
    Files.createDirectory(disk.resolve("empty"));
    Files.move(path("older"), path("empty"), StandardCopyOption.REPLACE_EXISTING);
    assertThat(disk.resolve("empty")).hasContent("content");
    Files.move(path("empty"), path("empty"));
    assertThat(disk.resolve("empty")).hasContent("content");
    write("dir/inside", "x");
    Files.move(path("dir"), path("dir2"));
    assertThat(disk.resolve("dir2/inside")).hasContent("x");
  }

  @Test
  void copies() throws Exception {
    byte[] bytes = content(5_000_000);
    Path file = writeBytes("file", bytes);
    Files.setPosixFilePermissions(
        disk.resolve("file"), PosixFilePermissions.fromString("rwx------"));
    FileTime time = FileTime.from(Instant.parse("2011-01-01T00:00:00Z"));
    Files.setLastModifiedTime(disk.resolve("file"), time);
    Files.copy(file, path("copy"));
    assertThat(Files.readAllBytes(disk.resolve("copy"))).isEqualTo(bytes);
    assertThatThrownBy(() -> Files.copy(file, path("copy")))
        .isInstanceOf(FileAlreadyExistsException.class);
    Files.copy(
        file,
        path("copy"),
        StandardCopyOption.REPLACE_EXISTING,
        StandardCopyOption.COPY_ATTRIBUTES);
    assertThat(Files.getLastModifiedTime(disk.resolve("copy"))).isEqualTo(time);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(disk.resolve("copy"))))
        .isEqualTo("rwx------");
    Files.copy(file, file);
    assertThat(Files.readAllBytes(disk.resolve("file"))).isEqualTo(bytes);
    Files.createDirectory(disk.resolve("dir"));
    write("dir/inside", "");
    Files.copy(path("dir"), path("dir2"));
    assertThat(disk.resolve("dir2")).isEmptyDirectory();
    assertThatThrownBy(() -> Files.copy(file, path("dir"), StandardCopyOption.REPLACE_EXISTING))
        .isInstanceOf(DirectoryNotEmptyException.class);
  }

  /** The JDK itself copies between file systems: streams, one file at a time. */
  @Test
  void copiesToAndFromAnotherFileSystem(@TempDir Path local) throws Exception {
    byte[] bytes = content(6_000_000);
    Path here = Files.write(local.resolve("here"), bytes);
    FileTime time = FileTime.from(Instant.parse("2012-01-01T00:00:00Z"));
    Files.setLastModifiedTime(here, time);
    Files.copy(here, path("there"));
    assertThat(Files.readAllBytes(disk.resolve("there"))).isEqualTo(bytes);
    Files.copy(path("there"), local.resolve("back"));
    assertThat(Files.readAllBytes(local.resolve("back"))).isEqualTo(bytes);
    Files.move(here, path("moved"));
    assertThat(here).doesNotExist();
    assertThat(Files.getLastModifiedTime(disk.resolve("moved"))).isEqualTo(time);
    Files.move(path("moved"), here);
    assertThat(Files.readAllBytes(here)).isEqualTo(bytes);
    assertThat(disk.resolve("moved")).doesNotExist();
  }

  @Test
  void links() throws Exception {
    Files.createDirectories(disk.resolve("real/deep"));
    write("real/deep/file", "through");
    Files.createSymbolicLink(disk.resolve("dirlink"), Path.of("real"));
    Files.createSymbolicLink(disk.resolve("filelink"), Path.of("dirlink/deep/file"));
    Files.createSymbolicLink(disk.resolve("real/up"), Path.of("../filelink"));
    Files.createSymbolicLink(disk.resolve("dangling"), Path.of("none"));
    Files.createSymbolicLink(disk.resolve("loop"), Path.of("loop"));
    assertThat(Files.readString(path("filelink"))).isEqualTo("through");
    assertThat(Files.readString(path("dirlink/up"))).isEqualTo("through");
    assertThat(Files.isSymbolicLink(path("filelink"))).isTrue();
    assertThat(Files.isRegularFile(path("filelink"))).isTrue();
    assertThat(Files.isRegularFile(path("filelink"), LinkOption.NOFOLLOW_LINKS)).isFalse();
    assertThat(Files.isDirectory(path("dirlink"))).isTrue();
    assertThat(Files.readSymbolicLink(path("filelink")).toString()).isEqualTo("dirlink/deep/file");
    assertThatThrownBy(() -> Files.readSymbolicLink(path("real")))
        .isInstanceOf(NotLinkException.class);
    assertThat(path("filelink").toRealPath())
        .isEqualTo(root().toRealPath().resolve("real/deep/file"));
    assertThat(Files.isSameFile(path("filelink"), path("real/deep/file"))).isTrue();
    assertThat(Files.isSameFile(path("filelink"), path("real"))).isFalse();
    assertThat(Files.exists(path("dangling"))).isFalse();
    assertThat(Files.exists(path("dangling"), LinkOption.NOFOLLOW_LINKS)).isTrue();
    assertThatThrownBy(() -> Files.readString(path("dangling")))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> Files.readString(path("loop")))
        .isInstanceOf(FileSystemException.class);
    try (Stream<Path> list = Files.list(path("dirlink"))) {
      assertThat(list).containsExactlyInAnyOrder(path("dirlink/deep"), path("dirlink/up"));
    }
    Files.writeString(path("dirlink/deep/new"), "made through a link");
    assertThat(disk.resolve("real/deep/new")).hasContent("made through a link");
    Files.writeString(path("filelink"), "written through a link");
    assertThat(disk.resolve("real/deep/file")).hasContent("written through a link");
    assertThat(Files.isSymbolicLink(disk.resolve("filelink"))).isTrue();
    Files.createDirectory(path("dirlink/made"));
    assertThat(disk.resolve("real/made")).isDirectory();
    Files.delete(path("dirlink/made"));
    Files.delete(path("dirlink/up"));
    assertThat(disk.resolve("real/up")).doesNotExist();
    assertThat(disk.resolve("real/deep/file")).exists();
    Files.delete(path("dirlink"));
    assertThat(disk.resolve("real")).isDirectory();
  }

  @Test
  void hardLinksAreTheSameFile() throws Exception {
    Path one = write("one", "x");
    Files.createLink(disk.resolve("two"), disk.resolve("one"));
    write("three", "x");
    assertThat(Files.isSameFile(one, path("two"))).isTrue();
    assertThat(Files.isSameFile(one, path("three"))).isFalse();
    assertThat(Files.readAttributes(one, BasicFileAttributes.class).fileKey())
        .isEqualTo(Files.readAttributes(path("two"), BasicFileAttributes.class).fileKey());
  }

  @Test
  void loopsOfLinksEndAWalk() throws Exception {
    Files.createDirectory(disk.resolve("dir"));
    Files.createSymbolicLink(disk.resolve("dir/again"), Path.of("../dir"));
    List<IOException> failures = new ArrayList<>();
    Files.walkFileTree(
        path("dir"),
        EnumSet.of(FileVisitOption.FOLLOW_LINKS),
        9,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFileFailed(Path file, IOException failure) {
            failures.add(failure);
            return FileVisitResult.CONTINUE;
          }
        });
    assertThat(failures).singleElement().isInstanceOf(java.nio.file.FileSystemLoopException.class);
  }

  @Test
  void seeks() throws Exception {
    byte[] bytes = content(3_000_000);
    Path file = writeBytes("file", bytes);
    long seed = System.nanoTime();
    Random random = new Random(seed);
    try (SeekableByteChannel channel = Files.newByteChannel(file)) {
      assertThat(channel.size()).isEqualTo(bytes.length);
      for (int i = 0; i < 60; i++) {
        int at = random.nextInt(bytes.length);
        int length = 1 + random.nextInt(i % 3 == 0 ? 200_000 : 100);
        ByteBuffer buffer = ByteBuffer.allocate(length);
        assertThat(channel.position(at).position()).isEqualTo(at);
        while (buffer.hasRemaining() && channel.read(buffer) >= 0) {
          assertThat(channel.position()).isEqualTo(at + buffer.position());
        }
        int end = Math.min(bytes.length, at + length);
        assertThat(buffer.position()).as("seed %d", seed).isEqualTo(end - at);
        assertThat(java.util.Arrays.mismatch(buffer.array(), 0, end - at, bytes, at, end))
            .as("seed %d at %d", seed, at)
            .isEqualTo(-1);
      }
      assertThat(channel.position(bytes.length + 10L).read(ByteBuffer.allocate(1))).isEqualTo(-1);
      assertThat(channel.read(ByteBuffer.allocate(0))).isLessThanOrEqualTo(0);
      assertThatThrownBy(() -> channel.position(-1)).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> channel.write(ByteBuffer.allocate(1)))
          .isInstanceOf(NonWritableChannelException.class);
      assertThatThrownBy(() -> channel.truncate(1)).isInstanceOf(NonWritableChannelException.class);
    }
  }

  @Test
  void closedInTheMiddle() throws Exception {
    Path file = writeBytes("file", content(20_000_000));
    InputStream in = Files.newInputStream(file);
    assertThat(in.readNBytes(100_000)).hasSize(100_000);
    in.close();
    assertThatThrownBy(in::read).isInstanceOf(IOException.class);
    SeekableByteChannel channel = Files.newByteChannel(file);
    assertThat(channel.read(ByteBuffer.allocate(10))).isEqualTo(10);
    channel.close();
    channel.close();
    assertThat(channel.isOpen()).isFalse();
    assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(1)))
        .isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(channel::size).isInstanceOf(ClosedChannelException.class);
    assertThat(Files.size(file)).isEqualTo(20_000_000);
  }

  @Test
  void fileThatIsCutOffOrGrowsWhileItIsRead() throws Exception {
    Path file = writeBytes("file", content(3_000_000));
    try (SeekableByteChannel channel = Files.newByteChannel(file)) {
      assertThat(channel.read(ByteBuffer.allocate(10))).isEqualTo(10);
      try (SeekableByteChannel local =
          Files.newByteChannel(disk.resolve("file"), StandardOpenOption.WRITE)) {
        local.truncate(1_000_000);
      }
      channel.position(2_000_000);
      assertThat(channel.read(ByteBuffer.allocate(10))).isEqualTo(-1);
      channel.position(999_999);
      assertThat(channel.read(ByteBuffer.allocate(10))).isEqualTo(1);
      Files.writeString(disk.resolve("file"), "more", StandardOpenOption.APPEND);
      ByteBuffer more = ByteBuffer.allocate(10);
      assertThat(channel.read(more)).isEqualTo(4);
      assertThat(new String(more.array(), 0, 4, StandardCharsets.UTF_8)).isEqualTo("more");
    }
  }

  @Test
  void writesInAnyOrder() throws Exception {
    Path file = write("file", "0123456789");
    try (SeekableByteChannel channel =
        Files.newByteChannel(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      channel.position(3);
      channel.write(ByteBuffer.wrap("abc".getBytes(StandardCharsets.UTF_8)));
      channel.position(0);
      ByteBuffer all = ByteBuffer.allocate(20);
      assertThat(channel.read(all)).isEqualTo(10);
      channel.truncate(8);
      assertThat(channel.size()).isEqualTo(8);
    }
    assertThat(disk.resolve("file")).hasContent("012abc67");
    Files.writeString(file, "+", StandardOpenOption.APPEND);
    Files.writeString(file, "NEW", StandardOpenOption.WRITE);
    assertThat(disk.resolve("file")).hasContent("NEWabc67+");
    Files.writeString(path("log"), "a", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    Files.writeString(path("log"), "b", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    assertThat(disk.resolve("log")).hasContent("ab");
    try (SeekableByteChannel channel = Files.newByteChannel(file, StandardOpenOption.WRITE)) {
      assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(1)))
          .isInstanceOf(NonReadableChannelException.class);
    }
    try (SeekableByteChannel channel =
        Files.newByteChannel(
            path("fresh"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(new byte[100]));
    }
    assertThat(disk.resolve("fresh")).hasSize(100);
    try (OutputStream out =
        Files.newOutputStream(
            path("deleted"), StandardOpenOption.CREATE, StandardOpenOption.DELETE_ON_CLOSE)) {
      out.write(1);
    }
    assertThat(disk.resolve("deleted")).doesNotExist();
    assertThatThrownBy(
            () -> Files.newByteChannel(file, StandardOpenOption.READ, StandardOpenOption.APPEND))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void writtenFileKeepsItsPermissions() throws Exception {
    Path file = write("file", "x");
    Files.setPosixFilePermissions(
        disk.resolve("file"), PosixFilePermissions.fromString("rwxrw----"));
    Files.writeString(file, "longer");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(disk.resolve("file"))))
        .isEqualTo("rwxrw----");
  }

  @Test
  void manyReadersAtOnce() throws Exception {
    byte[] bytes = content(2_000_000);
    Path file = writeBytes("file", bytes);
    ExecutorService threads = Executors.newFixedThreadPool(24);
    try {
      List<CompletableFuture<Integer>> reads = new ArrayList<>();
      for (int i = 0; i < 24; i++) {
        boolean inOrder = i % 2 == 0;
        reads.add(
            CompletableFuture.supplyAsync(
                () -> {
                  try (SeekableByteChannel channel = Files.newByteChannel(file)) {
                    int start = inOrder ? 0 : 1_234_567;
                    channel.position(start);
                    ByteBuffer buffer = ByteBuffer.allocate(bytes.length - start);
                    while (buffer.hasRemaining() && channel.read(buffer) >= 0) {
                      Thread.onSpinWait();
                    }
                    return java.util.Arrays.mismatch(
                        buffer.array(), 0, buffer.position(), bytes, start, bytes.length);
                  } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                  }
                },
                threads));
      }
      for (CompletableFuture<Integer> read : reads) {
        assertThat(read.get(30, TimeUnit.SECONDS)).isEqualTo(-1);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void matchersAndPaths() throws Exception {
    PathMatcher matcher = root().getFileSystem().getPathMatcher("glob:**/*.{h5,nc}");
    assertThat(matcher.matches(path("run.h5"))).isTrue();
    assertThat(matcher.matches(path("run.txt"))).isFalse();
    Path path = root().resolve("a/./b/../c");
    assertThat(path.normalize()).isEqualTo(root().resolve("a/c"));
    assertThat(path.getFileName().toString()).isEqualTo("c");
    assertThat(root().resolve("a").relativize(root().resolve("b/c")).toString())
        .isEqualTo("../b/c");
    assertThat(root().resolve("a/b").startsWith(root().resolve("a"))).isTrue();
    assertThat(root().resolve("ab").startsWith(root().resolve("a"))).isFalse();
    assertThat(root().resolve("a/b").endsWith("b")).isTrue();
    assertThat(root().resolve("")).isEqualTo(root());
    assertThat(root().resolve("a").resolveSibling("b")).isEqualTo(root().resolve("b"));
    assertThat(root().resolve("a").compareTo(root().resolve("b"))).isNegative();
    assertThat(Stream.of("b", "a").map(root()::resolve).sorted().collect(Collectors.toList()))
        .isSortedAccordingTo(Path::compareTo);
    assertThatThrownBy(() -> root().resolve("nul\0"))
        .isInstanceOf(java.nio.file.InvalidPathException.class);
  }

  @Test
  void access() throws Exception {
    Path file = write("file", "");
    assertThat(Files.isReadable(file)).isTrue();
    assertThat(Files.isWritable(file)).isTrue();
    assertThat(Files.isExecutable(file)).isFalse();
    assertThat(Files.isReadable(path("none"))).isFalse();
  }
}
