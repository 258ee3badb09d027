package io.fdt.nio;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.filter.Filters;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.ClosedDirectoryStreamException;
import java.nio.file.ClosedFileSystemException;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileOwnerAttributeView;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Programs that close, interrupt, repeat and contradict themselves. */
@Timeout(60)
class HostileUseTest {
  @TempDir Path directory;

  private Path data;
  private FdtServer server;
  private FileSystem fileSystem;
  private Path root;
  private final Queue<String> seen = new ConcurrentLinkedQueue<>();

  @BeforeEach
  void serve() throws Exception {
    data = Files.createDirectory(directory.resolve("data"));
    server =
        FdtServer.builder()
            .port(0)
            .bind("127.0.0.1")
            .home(directory.resolve("server"))
            .export(Export.readWrite("data", data))
            .filters(new Filters(List.of(), List.of((transfer, outcome) -> look())))
            .build();
    server.start();
    URI uri = URI.create("fdt://127.0.0.1:" + server.address().getPort() + "/");
    fileSystem = FileSystems.newFileSystem(uri, Map.of("fdt.home", directory.resolve("client")));
    root = fileSystem.getPath("/data");
  }

  @AfterEach
  void stop() throws Exception {
    fileSystem.close();
    server.close();
  }

  /** The rights of all files with a name of their own, as soon as a transfer has ended. */
  private void look() throws IOException {
    try (Stream<Path> files = Files.list(data)) {
      for (Path file : files.toList()) {
        try {
          seen.add(
              file.getFileName()
                  + " "
                  + PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        } catch (NoSuchFileException e) {
          // A hidden name that has become another one.
        }
      }
    }
  }

  private Path write(String name, String text) throws IOException {
    Files.writeString(data.resolve(name), text);
    return root.resolve(name);
  }

  /** The local files that this process has open for what is written. */
  private static List<Path> staged() throws IOException {
    List<Path> staged = new ArrayList<>();
    try (DirectoryStream<Path> open = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path descriptor : open) {
        if (Files.isSymbolicLink(descriptor)) { // the one of this listing may be gone
          Path file = Files.readSymbolicLink(descriptor);
          if (String.valueOf(file.getFileName()).startsWith("fdt-nio-")) {
            staged.add(file);
          }
        }
      }
    }
    return staged;
  }

  // Closed file systems

  @Test
  void aClosedFileSystemAnswersNothingNotEvenWhatAListingHasSeen() throws Exception {
    write("seen", "x");
    Path seen;
    try (DirectoryStream<Path> list = Files.newDirectoryStream(root)) {
      seen = list.iterator().next();
    }
    fileSystem.close();

    assertThat(fileSystem.isOpen()).isFalse();
    assertThatThrownBy(() -> Files.size(seen)).isInstanceOf(ClosedFileSystemException.class);
    assertThatThrownBy(() -> Files.newDirectoryStream(root))
        .isInstanceOf(ClosedFileSystemException.class);
    assertThatThrownBy(() -> Files.newInputStream(seen))
        .isInstanceOf(ClosedFileSystemException.class);
    assertThatThrownBy(() -> Files.delete(seen)).isInstanceOf(ClosedFileSystemException.class);
    fileSystem.close();
    assertThat(seen.resolve("a").normalize()).hasToString("/data/seen/a"); // only text
  }

  @Test
  @SuppressWarnings("StreamResourceLeak") // the file system closes it
  void closingAFileSystemClosesWhatIsOpenAndPublishesNothing() throws Exception {
    Path file = write("file", "old");
    SeekableByteChannel reading = Files.newByteChannel(file);
    assertThat(reading.read(ByteBuffer.allocate(1))).isEqualTo(1);
    SeekableByteChannel writing = Files.newByteChannel(file, StandardOpenOption.WRITE);
    writing.write(ByteBuffer.wrap("half".getBytes(UTF_8)));
    OutputStream stream = Files.newOutputStream(root.resolve("other"));
    stream.write(1);
    List<Path> staged = staged();
    DirectoryStream<Path> list = Files.newDirectoryStream(root);

    fileSystem.close();

    assertThat(reading.isOpen()).isFalse();
    assertThatThrownBy(() -> reading.read(ByteBuffer.allocate(1)))
        .isInstanceOf(ClosedChannelException.class);
    assertThat(writing.isOpen()).isFalse();
    assertThatThrownBy(() -> writing.write(ByteBuffer.allocate(1)))
        .isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(writing::close).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> stream.write(1)).isInstanceOf(IOException.class);
    assertThatThrownBy(stream::close).isInstanceOf(IOException.class);
    assertThatThrownBy(list::iterator).isInstanceOf(ClosedDirectoryStreamException.class);
    assertThat(staged).isNotEmpty().noneMatch(Files::exists);
    assertThat(data.resolve("file")).hasContent("old");
    assertThat(data.resolve("other")).doesNotExist();
  }

  // Directory streams

  @Test
  @SuppressWarnings("StreamResourceLeak") // closed early
  void aStreamThatIsClosedEarlyGivesWhatItHasReadAheadAndNoMore() throws Exception {
    write("a", "");
    write("b", "");
    DirectoryStream<Path> list = Files.newDirectoryStream(root);
    Iterator<Path> names = list.iterator();
    assertThat(names.hasNext()).isTrue();
    list.close();
    list.close();
    assertThat(names.next()).isNotNull();
    assertThat(names.hasNext()).isFalse();
    assertThatThrownBy(list::iterator).isInstanceOf(ClosedDirectoryStreamException.class);
    assertThatThrownBy(names::remove).isInstanceOf(UnsupportedOperationException.class);
  }

  // Links

  @Test
  void theRealPathOfWhatWasListedThroughALinkHasNoLink() throws Exception {
    Files.createDirectory(data.resolve("real"));
    write("real/file", "x");
    Files.createSymbolicLink(data.resolve("link"), Path.of("real"));
    try (DirectoryStream<Path> list = Files.newDirectoryStream(root.resolve("link"))) {
      Path listed = list.iterator().next();
      assertThat(listed).hasToString("/data/link/file");
      assertThat(listed.toRealPath()).hasToString("/data/real/file");
      assertThat(Files.isSameFile(listed, root.resolve("real/file"))).isTrue();
    }
    Path relative = fileSystem.getPath("data/link");
    try (DirectoryStream<Path> list = Files.newDirectoryStream(relative)) {
      assertThat(list.iterator().next().toRealPath()).hasToString("/data/real/file");
    }
  }

  @Test
  void fortyLinksAreFollowedAndNoMore() throws Exception {
    write("link0", "x");
    for (int i = 1; i <= 41; i++) {
      Files.createSymbolicLink(data.resolve("link" + i), Path.of("link" + (i - 1)));
    }

    assertThat(Files.readString(root.resolve("link40"))).isEqualTo("x");
    assertThatThrownBy(() -> Files.readString(root.resolve("link41")))
        .isInstanceOf(FileSystemLoopException.class);
  }

  @Test
  void whatAServerCannotDoIsUnsupported() throws Exception {
    Path file = write("file", "x");
    FileStore store = Files.getFileStore(file);
    assertThatThrownBy(store::getTotalSpace).isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(fileSystem::newWatchService)
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> Files.createSymbolicLink(root.resolve("link"), file))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThat(data.resolve("link")).doesNotExist();
  }

  // Streams

  /** It is larger than all that can be on its way, so the change comes before its last bytes. */
  @Test
  void aStreamOfAFileThatChangesMeanwhileDoesNotEndAsAWholeOne() throws Exception {
    try (FileChannel file =
        FileChannel.open(
            data.resolve("large"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      file.write(ByteBuffer.wrap(new byte[1]), (1L << 30) - 1);
      try (InputStream in = Files.newInputStream(root.resolve("large"))) {
        assertThat(in.read()).isZero();
        file.write(ByteBuffer.wrap(new byte[1]), 1L << 30);

        assertThatThrownBy(() -> in.transferTo(OutputStream.nullOutputStream()))
            .isInstanceOf(FileSystemException.class)
            .hasMessageContaining("changed");
      }
    }
  }

  // Channels

  @Test
  void aPositionBeyondTheEndChangesNoSize() throws Exception {
    Path file = write("file", "0123456789");
    try (SeekableByteChannel channel = Files.newByteChannel(file)) {
      channel.position(1000);
      assertThat(channel.read(ByteBuffer.allocate(10))).isEqualTo(-1);
      assertThat(channel.position()).isEqualTo(1000);
      assertThat(channel.size()).isEqualTo(10);
      channel.position(Long.MAX_VALUE);
      assertThat(channel.read(ByteBuffer.allocate(10))).isEqualTo(-1);
      assertThat(channel.size()).isEqualTo(10);
      assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(10).asReadOnlyBuffer()))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void threadsThatShareAChannelGetEachByteOnce() throws Exception {
    byte[] content = new byte[300_000];
    for (int i = 0; i < content.length; i++) {
      content[i] = (byte) (i >> 8);
    }
    Files.write(data.resolve("file"), content);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    int[] counts = new int[256];
    try (SeekableByteChannel channel = Files.newByteChannel(root.resolve("file"))) {
      List<Future<?>> readers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        readers.add(
            threads.submit(
                () -> {
                  ByteBuffer buffer = ByteBuffer.allocate(1000);
                  while (channel.read(buffer.clear()) >= 0) {
                    synchronized (counts) {
                      for (int at = 0; at < buffer.position(); at++) {
                        counts[buffer.get(at) & 0xFF]++;
                      }
                    }
                  }
                  return null;
                }));
      }
      for (Future<?> reader : readers) {
        reader.get(30, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdownNow();
    }
    int[] expected = new int[256];
    for (byte b : content) {
      expected[b & 0xFF]++;
    }
    assertThat(counts).isEqualTo(expected);
  }

  @Test
  void twoThreadsThatCloseAChannelDeleteItsFileOnce() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      for (int round = 0; round < 20; round++) {
        Path file = write("file" + round, "x");
        SeekableByteChannel channel =
            Files.newByteChannel(file, StandardOpenOption.READ, StandardOpenOption.DELETE_ON_CLOSE);
        CountDownLatch both = new CountDownLatch(2);
        List<Future<?>> closers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
          closers.add(
              threads.submit(
                  () -> {
                    both.countDown();
                    assertThat(both.await(30, TimeUnit.SECONDS)).isTrue();
                    channel.close();
                    return null;
                  }));
        }
        for (Future<?> closer : closers) {
          closer.get(30, TimeUnit.SECONDS);
        }
        assertThat(file).doesNotExist();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** What was interrupted in the middle is not the whole: it does not get the name. */
  @Test
  void aWriterThatWasInterruptedPublishesNothing() throws Exception {
    Path file = write("file", "old");
    SeekableByteChannel channel =
        Files.newByteChannel(file, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING);
    channel.write(ByteBuffer.wrap("first half".getBytes(UTF_8)));
    List<Path> staged = staged();
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> channel.write(ByteBuffer.wrap("second half".getBytes(UTF_8))))
        .isInstanceOf(IOException.class);
    assertThat(Thread.interrupted()).isTrue();

    assertThatThrownBy(channel::close).isInstanceOf(IOException.class);
    channel.close();

    assertThat(data.resolve("file")).hasContent("old");
    assertThat(staged).isNotEmpty().noneMatch(Files::exists);
  }

  @Test
  void aReaderThatIsInterruptedEndsAndTheNextOneGetsItsOwnAnswer() throws Exception {
    write("a", "aaaa");
    write("b", "bb");
    for (int i = 0; i < 20; i++) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> Files.size(root.resolve("a"))).isInstanceOf(IOException.class);
      assertThat(Thread.interrupted()).isTrue();
      assertThat(Files.size(root.resolve("b"))).isEqualTo(2);
    }
  }

  @Test
  void whatIsOpenedIsTheFileOfNowNotThatOfAListing() throws Exception {
    Path file = write("file", "old");
    Path listed;
    try (DirectoryStream<Path> list = Files.newDirectoryStream(root)) {
      listed = list.iterator().next();
    }
    assertThat(Files.size(listed)).isEqualTo(3);
    Files.writeString(data.resolve("next"), "another one");
    Files.move(data.resolve("next"), data.resolve("file"), StandardCopyOption.REPLACE_EXISTING);

    assertThat(Files.readString(listed)).isEqualTo("another one");
    assertThat(Files.readString(file)).isEqualTo("another one");
  }

  // Rights

  /** The server's own code sees each file as soon as it has its name. */
  @Test
  void aPrivateFileIsNeverThereWithMoreRights() throws Exception {
    Path file = write("private", "old");
    Files.setPosixFilePermissions(
        data.resolve("private"), PosixFilePermissions.fromString("rw-------"));
    try (OutputStream out = Files.newOutputStream(file)) {
      out.write("new".getBytes(UTF_8));
    }
    Files.writeString(file, "newer", StandardOpenOption.APPEND);
    Files.copy(file, root.resolve("copy"));
    Path made =
        Files.createTempFile(
            root,
            "made",
            "",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(made, "x");
    for (Path one : List.of(file, root.resolve("copy"), made)) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(one)))
          .as("%s", one)
          .isEqualTo("rw-------");
    }
    assertThat(Files.readString(file)).isEqualTo("newnewer");
    assertThat(seen)
        .hasSizeGreaterThanOrEqualTo(5)
        .allSatisfy(mode -> assertThat(mode).endsWith("------"));
  }

  // Options

  @Test
  void optionsMayBeRepeated() throws Exception {
    Path file = root.resolve("file");
    try (OutputStream out =
        Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.CREATE)) {
      out.write(65);
    }
    try (InputStream in =
        Files.newInputStream(file, StandardOpenOption.READ, StandardOpenOption.READ)) {
      assertThat(in.readAllBytes()).containsExactly(65);
    }
    StandardCopyOption replace = StandardCopyOption.REPLACE_EXISTING;
    Files.copy(file, root.resolve("copy"), replace, replace);
    Files.move(file, root.resolve("copy"), replace, replace);
    assertThat(file).doesNotExist();
  }

  @Test
  void optionsThatAreUnknownOrOfSomethingElseAreRefused() throws Exception {
    Path file = write("file", "x");
    Path other = root.resolve("other");
    CopyOption unknown = new CopyOption() {};
    assertThatThrownBy(() -> Files.copy(file, other, unknown))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> Files.move(file, other, unknown))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> Files.move(file, other, StandardCopyOption.COPY_ATTRIBUTES))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> Files.copy(file, other, StandardCopyOption.ATOMIC_MOVE))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> Files.copy(file, other, (CopyOption) null))
        .isInstanceOf(NullPointerException.class);
    assertThat(data.resolve("file")).exists();
    assertThat(data.resolve("other")).doesNotExist();
  }

  /**
   * No server can do that in one step: as of the JDK, only what is in it would have to be moved.
   */
  @Test
  void aDirectoryWithFilesDoesNotMoveToAnotherServer() throws Exception {
    Files.createDirectory(data.resolve("full"));
    Path file = write("full/file", "stays");
    Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
    try (FdtServer other =
        FdtServer.builder()
            .port(0)
            .bind("127.0.0.1")
            .home(directory.resolve("other"))
            .export(Export.readWrite("data", elsewhere))
            .build()) {
      other.start();
      URI uri = URI.create("fdt://127.0.0.1:" + other.address().getPort() + "/");
      try (FileSystem there =
          FileSystems.newFileSystem(uri, Map.of("fdt.home", directory.resolve("client")))) {
        Path target = there.getPath("/data/full");

        assertThatThrownBy(() -> Files.move(root.resolve("full"), target))
            .isInstanceOf(DirectoryNotEmptyException.class);

        assertThat(file).hasContent("stays");
        assertThat(elsewhere).isEmptyDirectory();
      }
    }
  }

  @Test
  void aMissingSourceIsNoReasonToRemoveTheTarget() throws Exception {
    Path target = write("target", "stays");
    StandardCopyOption replace = StandardCopyOption.REPLACE_EXISTING;
    assertThatThrownBy(() -> Files.copy(root.resolve("none"), target, replace))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> Files.move(root.resolve("none"), target, replace))
        .isInstanceOf(NoSuchFileException.class);
    assertThat(data.resolve("target")).hasContent("stays");
  }

  // Attributes

  @Test
  void theViewOfTheOwnerHasItsName() throws Exception {
    Path file = write("file", "x");
    assertThat(fileSystem.supportedFileAttributeViews()).contains("basic", "posix", "owner");
    assertThat(Files.getFileAttributeView(file, FileOwnerAttributeView.class).name())
        .isEqualTo("owner");
    assertThat(Files.getOwner(file)).isEqualTo(Files.getAttribute(file, "owner:owner"));
    assertThat(Files.readAttributes(file, "owner:*")).containsOnlyKeys("owner");
    assertThat(Files.getFileStore(file).supportsFileAttributeView(FileOwnerAttributeView.class))
        .isTrue();
    assertThat(Files.getFileStore(file).supportsFileAttributeView("owner")).isTrue();
  }

  @Test
  void attributesThatMakeNoSenseAreRefused() throws Exception {
    Path file = write("file", "x");
    assertThatThrownBy(() -> Files.setAttribute(file, "basic:nothing", 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Files.setAttribute(file, "posix:permissions", "rwx"))
        .isInstanceOf(ClassCastException.class);
    assertThatThrownBy(() -> Files.setAttribute(file, "none:size", 1))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> Files.readAttributes(file, "size,nothing"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Files.readAttributes(file, ""))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(
            () -> Files.setLastModifiedTime(root.resolve("none"), FileTime.fromMillis(0)))
        .isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void timesBeyondThoseOfTheServerAreCut() throws Exception {
    Path file = write("file", "x");
    Files.setLastModifiedTime(file, FileTime.from(Long.MAX_VALUE, TimeUnit.DAYS));
    assertThat(Files.getLastModifiedTime(file)).isGreaterThan(FileTime.from(50_000, TimeUnit.DAYS));
    Files.setLastModifiedTime(file, FileTime.from(Long.MIN_VALUE, TimeUnit.DAYS));
    assertThat(Files.getLastModifiedTime(file)).isLessThan(FileTime.fromMillis(0));
  }
}
