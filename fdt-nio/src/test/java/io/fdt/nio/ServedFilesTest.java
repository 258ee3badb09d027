package io.fdt.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.client.RemoteFiles;
import io.fdt.client.TransferReport;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Grant;
import io.fdt.core.model.RelayGrant;
import io.fdt.nio.server.Connections;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import io.fdt.server.NamedTokens;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What only servers have: exports, rights, credentials, transfers, connections. */
@Timeout(60)
class ServedFilesTest {
  @TempDir Path directory;

  private Path data;
  private Path fixed;
  private Path serverHome;
  private FdtServer server;
  private FileSystem fileSystem;

  @BeforeEach
  void serve() throws Exception {
    data = Files.createDirectory(directory.resolve("data"));
    fixed = Files.createDirectory(directory.resolve("fixed"));
    Files.writeString(fixed.resolve("file"), "stays");
    serverHome = directory.resolve("server");
    server =
        FdtServer.builder()
            .port(0)
            .bind("127.0.0.1")
            .home(serverHome)
            .trustOwnProcess(false)
            .export(Export.readWrite("data", data))
            .export(Export.readOnly("fixed", fixed))
            .build();
    server.start();
    fileSystem = open(Map.of("fdt.home", serverHome));
  }

  @AfterEach
  void stop() throws Exception {
    fileSystem.close();
    server.close();
  }

  private URI uri(String path) {
    return URI.create("fdt://127.0.0.1:" + server.address().getPort() + path);
  }

  private FileSystem open(Map<String, ?> settings) throws IOException {
    return FileSystems.newFileSystem(uri("/"), settings);
  }

  private Path path(String path) {
    return Path.of(uri(path));
  }

  private static byte[] content(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  @Test
  void exportsAreTheRoot() throws Exception {
    try (Stream<Path> list = Files.list(path("/"))) {
      assertThat(list.map(Path::toString)).containsExactlyInAnyOrder("/data", "/fixed");
    }
    assertThat(Files.isDirectory(path("/"))).isTrue();
    assertThat(path("")).isEqualTo(path("/"));
    assertThat(fileSystem.getRootDirectories()).containsExactly(path("/"));
    assertThat(Files.getFileStore(path("/fixed")).isReadOnly()).isTrue();
    assertThat(Files.getFileStore(path("/data")).isReadOnly()).isFalse();
    assertThat(fileSystem.getPath("data", "x", "y").toUri()).isEqualTo(uri("/data/x/y"));
  }

  @Test
  void whatMayNotBeWrittenIsDenied() throws Exception {
    Path file = path("/fixed/file");
    assertThat(Files.readString(file)).isEqualTo("stays");
    assertThat(Files.isWritable(file)).isFalse();
    assertThatThrownBy(() -> Files.writeString(file, "x"))
        .isInstanceOf(AccessDeniedException.class)
        .hasMessageContaining("read-only");
    assertThatThrownBy(() -> Files.delete(file)).isInstanceOf(AccessDeniedException.class);
    assertThatThrownBy(() -> Files.createDirectory(path("/fixed/new")))
        .isInstanceOf(AccessDeniedException.class);
    assertThatThrownBy(() -> Files.move(file, path("/data/file")))
        .isInstanceOf(AccessDeniedException.class);
    assertThatThrownBy(() -> Files.copy(file, path("/fixed/copy")))
        .isInstanceOf(AccessDeniedException.class);
    assertThatThrownBy(() -> Files.setLastModifiedTime(file, Files.getLastModifiedTime(file)))
        .isInstanceOf(AccessDeniedException.class);
    assertThatThrownBy(() -> Files.createDirectory(path("/beside")))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> Files.delete(path("/data"))).isInstanceOf(AccessDeniedException.class);
    assertThatThrownBy(() -> Files.createDirectory(path("/fixed")))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThat(fixed.toFile().list()).containsExactly("file");
    Files.copy(file, path("/data/copy"));
    assertThat(data.resolve("copy")).hasContent("stays");
  }

  @Test
  void linksLeadNowhereOutsideOfTheExports() throws Exception {
    Path secret = Files.writeString(directory.resolve("secret"), "secret");
    Files.createSymbolicLink(data.resolve("absolute"), secret);
    Files.createSymbolicLink(data.resolve("up"), Path.of("../../../secret"));
    Files.createSymbolicLink(data.resolve("across"), Path.of("/fixed/file"));
    assertThatThrownBy(() -> Files.readString(path("/data/absolute")))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> Files.readString(path("/data/up")))
        .isInstanceOf(NoSuchFileException.class);
    assertThat(Files.readString(path("/data/across"))).isEqualTo("stays");
    assertThatThrownBy(() -> Files.readString(path("/data/../../secret")))
        .isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void bytesThatAreNotText() throws Exception {
    FileName odd = FileName.of(new byte[] {'o', (byte) 0xFF, (byte) 0xFE, 'd'});
    Path made = path("/data/o%FF%FEd");
    Files.writeString(made, "odd");
    try (Stream<Path> list = Files.list(path("/data"))) {
      Path listed = list.findFirst().orElseThrow();
      assertThat(listed).isEqualTo(made);
      assertThat(listed.toUri()).isEqualTo(uri("/data/o%FF%FEd"));
      assertThat(Files.readString(listed)).isEqualTo("odd");
      assertThat(((FdtPath) listed).bytes())
          .isEqualTo(BytePath.of("/data").resolve(BytePath.of(odd.bytes())));
    }
    Files.move(made, path("/data/even"));
    assertThat(data.resolve("even")).hasContent("odd");
  }

  @Test
  void readingGoesOnWithTheFileThatWasOpenedOrFails() throws Exception {
    Files.write(data.resolve("file"), new byte[3_000_000]);
    Files.write(data.resolve("other"), content(3_000_000));
    try (SeekableByteChannel channel = Files.newByteChannel(path("/data/file"))) {
      assertThat(channel.read(ByteBuffer.allocate(10))).isEqualTo(10);
      Files.move(data.resolve("other"), data.resolve("file"), StandardCopyOption.REPLACE_EXISTING);
      channel.position(2_000_000);
      assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(10)))
          .isInstanceOf(FileSystemException.class)
          .hasMessageContaining("replaced by another file")
          .satisfies(
              e ->
                  assertThat(FdtFiles.codeOf((IOException) e)).isEqualTo(ErrorCode.SOURCE_CHANGED));
    }
  }

  @Test
  void writtenFileAppearsWhole() throws Exception {
    byte[] bytes = content(3_000_000);
    try (OutputStream out = Files.newOutputStream(path("/data/file"))) {
      out.write(bytes, 0, 2_500_000);
      assertThat(data.resolve("file")).doesNotExist();
      out.write(bytes, 2_500_000, 500_000);
    }
    assertThat(Files.readAllBytes(data.resolve("file"))).isEqualTo(bytes);
    try (OutputStream out =
        Files.newOutputStream(path("/data/file"), StandardOpenOption.TRUNCATE_EXISTING)) {
      out.write(1);
      assertThat(Files.readAllBytes(data.resolve("file"))).isEqualTo(bytes);
    }
    assertThat(data.resolve("file")).hasSize(1);
    assertThat(data.toFile().list()).containsExactly("file");
  }

  /** Between the start and the end of writing, somebody else has made the file. */
  @Test
  void fileThatMustBeNewReplacesNothing() throws Exception {
    OutputStream out = Files.newOutputStream(path("/data/new"), StandardOpenOption.CREATE_NEW);
    out.write(content(2_000_000));
    Files.writeString(data.resolve("new"), "theirs");
    assertThatThrownBy(out::close).isInstanceOf(FileAlreadyExistsException.class);
    assertThat(data.resolve("new")).hasContent("theirs");
    assertThat(data.toFile().list()).containsExactly("new");
  }

  @Test
  void failedWriteLeavesWhatWasThere() throws Exception {
    Files.writeString(data.resolve("file"), "stays");
    OutputStream out =
        Files.newOutputStream(path("/data/file"), StandardOpenOption.TRUNCATE_EXISTING);
    out.write(content(1_500_000));
    server.close();
    assertThatThrownBy(
            () -> {
              fileSystem.close();
              out.close();
            })
        .isInstanceOf(IOException.class);
    assertThat(data.resolve("file")).hasContent("stays");
  }

  @Test
  void treesByTransfers() throws Exception {
    Path tree = Files.createDirectories(directory.resolve("tree/sub"));
    Files.write(tree.resolve("large"), content(9_000_000));
    Files.writeString(tree.resolveSibling("small"), "small");
    TransferReport pushed = FdtFiles.copy(tree.getParent(), path("/data/arrived"));
    assertThat(pushed.figures().files().done()).isEqualTo(2);
    assertThat(Files.readAllBytes(data.resolve("arrived/sub/large"))).isEqualTo(content(9_000_000));
    assertThat(FdtFiles.copy(tree.getParent(), path("/data/arrived")).figures().files().unchanged())
        .isEqualTo(2);
    TransferReport pulled = FdtFiles.copy(path("/data/arrived"), directory.resolve("back"));
    assertThat(pulled.figures().bytesDone()).isEqualTo(9_000_005);
    assertThat(Files.readAllBytes(directory.resolve("back/sub/large")))
        .isEqualTo(content(9_000_000));
    FdtFiles.copy(path("/data/arrived/small"), directory.resolve("one"));
    assertThat(directory.resolve("one")).hasContent("small");
    assertThatThrownBy(() -> FdtFiles.copy(tree.getParent(), path("/data/arrived/small")))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThatThrownBy(() -> FdtFiles.copy(path("/data/none"), directory.resolve("none")))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> FdtFiles.copy(tree, directory.resolve("none")))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void posixOwnersAreNumbers() throws Exception {
    Files.writeString(data.resolve("file"), "");
    PosixFileAttributes there = Files.readAttributes(path("/data/file"), PosixFileAttributes.class);
    assertThat(there.owner().getName())
        .isEqualTo(Files.getAttribute(data.resolve("file"), "unix:uid").toString());
    assertThat(there.group().getName())
        .isEqualTo(Files.getAttribute(data.resolve("file"), "unix:gid").toString());
    Path made =
        Files.createFile(
            path("/data/made"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(made)))
        .isEqualTo("rw-------");
  }

  private String token(String name, boolean readOnly) throws Exception {
    return NamedTokens.ofHome(serverHome)
        .create(
            new Grant(
                name,
                Instant.now(),
                Optional.empty(),
                readOnly,
                Set.of(FileName.of("data")),
                List.of(),
                false,
                false,
                RelayGrant.NONE));
  }

  @Test
  void credentialsComeFromHomeAndSettings() throws Exception {
    Files.writeString(data.resolve("file"), "x");
    String secret = token("reader", true);
    fileSystem.close();
    Path home = directory.resolve("client");

    fileSystem = open(Map.of("fdt.home", home, "fdt.token", secret));
    assertThatThrownBy(() -> Files.readString(path("/data/file")))
        .isInstanceOf(AccessDeniedException.class)
        .hasMessageContaining("Unknown server")
        .hasMessageContaining("add fdt.acceptNew=true")
        .hasMessageContaining("add fdt.fingerprint SHA256:...");
    fileSystem.close();

    fileSystem = open(Map.of("fdt.home", home, "fdt.token", secret, "fdt.acceptNew", true));
    Awaitility.await() // the server looks for new tokens twice a second
        .atMost(Duration.ofSeconds(20))
        .ignoreException(AccessDeniedException.class)
        .untilAsserted(() -> assertThat(Files.readString(path("/data/file"))).isEqualTo("x"));
    assertThatThrownBy(() -> Files.writeString(path("/data/file"), "y"))
        .isInstanceOf(AccessDeniedException.class);
    assertThatThrownBy(() -> Files.readString(path("/fixed/file")))
        .isInstanceOf(AccessDeniedException.class);
    fileSystem.close();

    Path tokenFile = Files.writeString(directory.resolve("token"), secret);
    Files.setPosixFilePermissions(tokenFile, PosixFilePermissions.fromString("rw-------"));
    fileSystem = open(Map.of("fdt.home", home, "fdt.tokenFile", tokenFile));
    assertThat(Files.readString(path("/data/file"))).isEqualTo("x"); // the server is known now
    fileSystem.close();

    fileSystem = open(Map.of("fdt.home", home, "fdt.fingerprint", server.fingerprint()));
    assertThatThrownBy(() -> Files.readString(path("/data/file")))
        .isInstanceOf(AccessDeniedException.class)
        .satisfies(
            e -> assertThat(FdtFiles.codeOf((IOException) e)).isEqualTo(ErrorCode.UNAUTHENTICATED));
  }

  @Test
  void aServerWithAnotherKeyThanTheGivenOneIsRefused() throws Exception {
    Files.writeString(data.resolve("file"), "x");
    fileSystem.close();
    String other = "SHA256:" + "A".repeat(43);

    fileSystem = open(Map.of("fdt.home", directory.resolve("client"), "fdt.fingerprint", other));

    assertThatThrownBy(() -> Files.readString(path("/data/file")))
        .isInstanceOf(AccessDeniedException.class)
        .hasMessageContaining("is not the requested server");
  }

  @Test
  void settingsThatMakeNoSense() {
    assertThatThrownBy(() -> open(Map.of("fdt.fingerprnt", "x")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("fdt.fingerprint");
    assertThatThrownBy(() -> open(Map.of("fdt.streams", "0")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1 to 64");
    assertThatThrownBy(() -> open(Map.of())).isInstanceOf(FileSystemAlreadyExistsException.class);
    assertThatThrownBy(() -> Path.of(URI.create("fdt:opaque")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("fdt://host[:port]/path");
    assertThatThrownBy(() -> Path.of(URI.create("fdt://user@host/x")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Path.of(URI.create("fdt://host/x?y")))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void serverThatIsGoneFailsInOneLine() throws Exception {
    assertThat(Files.exists(path("/data"))).isTrue();
    server.close();
    assertThatThrownBy(() -> Files.size(path("/data/file")))
        .isInstanceOf(FileSystemException.class)
        .satisfies(
            e -> assertThat(FdtFiles.codeOf((IOException) e)).isEqualTo(ErrorCode.UNREACHABLE));
  }

  @Test
  void connectionsAreUsedAgainAndReplacedWhenTheyBreak() throws Exception {
    int port = server.address().getPort();
    Files.writeString(data.resolve("file"), "x");
    for (int i = 0; i < 20; i++) {
      assertThat(Files.size(path("/data/file"))).isEqualTo(1);
    }
    Connections connections = ((FdtFileSystem) fileSystem).connections(path("/data"));
    assertThat(connections.call(false, RemoteFiles::isConnected))
        .as("the next use has a connection already")
        .isTrue();
    server.close();
    server =
        FdtServer.builder()
            .port(port)
            .bind("127.0.0.1")
            .home(serverHome)
            .export(Export.readWrite("data", data))
            .export(Export.readOnly("fixed", fixed))
            .build();
    server.start();
    assertThat(Files.size(path("/data/file"))).isEqualTo(1);
  }

  @Test
  void closedFileSystemIsForgotten() throws Exception {
    Path file = path("/data/file");
    fileSystem.close();
    assertThat(fileSystem.isOpen()).isFalse();
    assertThatThrownBy(() -> Files.size(file))
        .isInstanceOf(java.nio.file.ClosedFileSystemException.class);
    assertThatThrownBy(() -> FileSystems.getFileSystem(uri("/")))
        .isInstanceOf(java.nio.file.FileSystemNotFoundException.class);
    fileSystem = open(Map.of("fdt.home", serverHome));
    assertThat(Files.isDirectory(path("/data"))).isTrue();
  }

  @Test
  void noThreadKeepsTheJvmAlive() throws Exception {
    Files.write(data.resolve("file"), content(5_000_000));
    try (InputStream in = Files.newInputStream(path("/data/file"));
        SeekableByteChannel channel = Files.newByteChannel(path("/data/file"))) {
      ByteBuffer buffer = ByteBuffer.allocate(400_000);
      while (buffer.hasRemaining() && channel.read(buffer) >= 0) {
        assertThat(in.read()).isNotNegative();
      }
      assertThat(
              Thread.getAllStackTraces().keySet().stream()
                  .filter(t -> t.getName().startsWith("fdt-") && !t.isDaemon()))
          .isEmpty();
    }
  }
}
