package io.fdt.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.google.protobuf.ByteString;
import io.fdt.client.AccessToken;
import io.fdt.client.FdtClient;
import io.fdt.client.RemoteDigest;
import io.fdt.client.RemoteFile;
import io.fdt.client.RemoteFiles;
import io.fdt.client.RemoteTotals;
import io.fdt.client.RemoteVisitor;
import io.fdt.client.ServerTrust;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Grant;
import io.fdt.core.model.RelayGrant;
import io.fdt.core.model.Timestamp;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Depth;
import io.fdt.core.wire.control.EntryKind;
import io.fdt.core.wire.control.FileDigest;
import io.fdt.core.wire.control.HostDescription;
import io.fdt.core.wire.control.ListedFile;
import io.fdt.core.wire.control.Look;
import io.fdt.core.wire.control.MakeDirectory;
import io.fdt.core.wire.control.Ping;
import io.fdt.core.wire.control.Reply;
import io.fdt.core.wire.control.Request;
import io.fdt.core.wire.control.RequestEnd;
import io.fdt.core.wire.control.Taken;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import io.fdt.server.NamedTokens;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What clients may look at, make, rename, remove and have read, and what a server gives for it. */
@Timeout(180)
class RequestsTest {
  private static final RemoteVisitor NO_PROBLEM =
      (path, code, message) -> {
        throw new AssertionError(path + ": " + message);
      };

  @TempDir Path directory;

  private Path data;
  private Path fixed;
  private FdtServer server;
  private NamedTokens tokens;
  private FdtClient client;
  private RemoteFiles files;

  /** The export "inner" lies within the export "data". */
  @BeforeEach
  void start() throws Exception {
    data = Files.createDirectory(directory.resolve("data"));
    Files.createDirectories(data.resolve("a/b/c"));
    Files.writeString(data.resolve("a/b/c/file"), "123456789");
    Files.writeString(data.resolve("plain"), "");
    Files.createSymbolicLink(data.resolve("link"), directory.resolve("fixed"));
    fixed = Files.createDirectory(directory.resolve("fixed"));
    Files.writeString(fixed.resolve("file"), "stays");
    tokens = NamedTokens.ofHome(directory.resolve("home"));
    server =
        FdtServer.builder()
            .port(0)
            .bind("127.0.0.1")
            .home(directory.resolve("home"))
            .export(Export.readWrite("data", data))
            .export(Export.readWrite("inner", data.resolve("a/b")))
            .export(Export.readOnly("fixed", fixed))
            .build();
    server.start();
    client = client(server.localToken());
    files = client.files();
  }

  @AfterEach
  void stop() {
    files.close();
    client.close();
    server.close();
    assertThat(fixed.resolve("file")).hasContent("stays");
    assertThat(fixed.toFile().list()).containsExactly("file");
  }

  private FdtClient client(String token) {
    return FdtClient.builder("127.0.0.1")
        .port(server.address().getPort())
        .trust(ServerTrust.pinned(server.fingerprint()))
        .token(AccessToken.of(token))
        .build();
  }

  private static BytePath path(String text) {
    return BytePath.of(text);
  }

  private interface Call {
    void run() throws Exception;
  }

  private static void assertFails(ErrorCode code, Call call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code));
  }

  private List<String> names(String path, boolean recursive) throws Exception {
    List<String> names = new ArrayList<>();
    files.list(path(path), recursive, names(names));
    return names;
  }

  private static RemoteVisitor names(List<String> names) {
    return new RemoteVisitor() {
      @Override
      public void file(RemoteFile file) {
        names.add(file.name().toString());
      }

      @Override
      public void problem(String path, ErrorCode code, String message) {
        NO_PROBLEM.problem(path, code, message);
      }
    };
  }

  @Test
  void aTreeIsShownWithoutItsLinks() throws Exception {
    assertThat(names("/data", false)).containsExactlyInAnyOrder("a", "link", "plain");
    assertThat(names("/data", true))
        .containsExactlyInAnyOrder("a", "link", "plain", "a/b", "a/b/c", "a/b/c/file");
    assertThat(names("/", false)).containsExactly("data", "inner", "fixed");
    assertThat(files.stat(path("/data/link")).linkTarget()).isEqualTo(BytePath.of(fixed));
    assertThat(files.stat(path("/")).kind()).contains(io.fdt.core.model.EntryKind.DIRECTORY);
    assertThat(files.measure(path("/data"), NO_PROBLEM)).isEqualTo(new RemoteTotals(2, 3, 1, 0, 9));
    assertFails(ErrorCode.WRONG_KIND, () -> files.stat(path("/data/link/file")));
    assertFails(ErrorCode.FORBIDDEN, () -> files.stat(path("/data/../data")));
    assertFails(ErrorCode.NOT_FOUND, () -> files.measure(path("/data/none"), NO_PROBLEM));
  }

  /** An error goes to its request, and the connection is as good as before. */
  @Test
  void directoriesAreMadeAndThingsRenamed() throws Exception {
    assertFails(ErrorCode.NOT_FOUND, () -> files.makeDirectory(path("/data/x/y/z"), false));
    files.makeDirectory(path("/data/x/y/z"), true);
    files.makeDirectory(path("/data/x/y/z"), true);
    assertFails(ErrorCode.WRONG_KIND, () -> files.makeDirectory(path("/data/x"), false));
    assertFails(ErrorCode.WRONG_KIND, () -> files.makeDirectory(path("/data/plain"), true));
    assertFails(ErrorCode.WRONG_KIND, () -> files.makeDirectory(path("/data/link/x"), true));
    assertFails(ErrorCode.WRONG_KIND, () -> files.makeDirectory(path("/data"), false));
    assertFails(
        ErrorCode.BAD_NAME, () -> files.makeDirectory(path("/data/" + "n".repeat(256)), true));
    String temporary = ".fdt-0123456789abcdef.part";
    assertFails(ErrorCode.BAD_NAME, () -> files.makeDirectory(path("/data/" + temporary), true));

    files.rename(path("/data/plain"), path("/data/x/y/z/plain"));
    files.rename(path("/data/link"), path("/inner/link")); // two exports, one file system
    assertThat(data.resolve("x/y/z/plain")).exists();
    assertThat(data.resolve("a/b/link")).isSymbolicLink();
    files.rename(path("/data/x"), path("/data/w"));
    assertThat(data.resolve("w/y/z/plain")).exists();
    Files.writeString(data.resolve("new"), "new");
    assertFails(
        ErrorCode.WRONG_KIND, () -> files.rename(path("/data/new"), path("/data/w/y/z/plain")));
    assertFails(ErrorCode.WRONG_KIND, () -> files.rename(path("/data/new"), path("/data/w")));
    assertFails(ErrorCode.WRONG_KIND, () -> files.rename(path("/data/w"), path("/data/w/y/in")));
    assertFails(ErrorCode.NOT_FOUND, () -> files.rename(path("/data/none"), path("/data/n")));
    assertFails(ErrorCode.NOT_FOUND, () -> files.rename(path("/data/new"), path("/data/n/n")));
    assertFails(
        ErrorCode.BAD_NAME, () -> files.rename(path("/data/new"), path("/data/" + temporary)));
    assertThat(data.resolve("new")).hasContent("new");
    assertThat(data.resolve("w/y/z/plain")).hasContent("");
  }

  @Test
  void twoFileSystemsAreTwo() throws Exception {
    Path other = Files.createTempDirectory(Path.of("/dev/shm"), "fdt-test");
    try {
      assumeFalse(
          Files.getAttribute(other, "unix:dev").equals(Files.getAttribute(data, "unix:dev")),
          "the directory for temporary files is on the file system of /dev/shm");
      try (FdtServer both =
          FdtServer.builder()
              .port(0)
              .bind("127.0.0.1")
              .export(Export.readWrite("one", data))
              .export(Export.readWrite("two", other))
              .build()) {
        both.start();
        try (FdtClient owner =
                FdtClient.builder("127.0.0.1").port(both.address().getPort()).build();
            RemoteFiles all = owner.files()) {
          assertThatThrownBy(() -> all.rename(path("/one/a"), path("/two/a")))
              .isInstanceOfSatisfying(
                  FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.WRONG_KIND))
              .hasMessageContaining("two file systems");
        }
      }
      assertThat(data.resolve("a/b/c/file")).exists();
    } finally {
      Files.delete(other);
    }
  }

  @Test
  void filesAndTreesAreRemovedAndLinksThemselves() throws Exception {
    assertFails(ErrorCode.WRONG_KIND, () -> files.remove(path("/data/a/b/c"), false, NO_PROBLEM));
    assertFails(ErrorCode.NOT_FOUND, () -> files.remove(path("/data/none"), true, NO_PROBLEM));
    assertFails(
        ErrorCode.WRONG_KIND, () -> files.remove(path("/data/link/file"), true, NO_PROBLEM));

    assertThat(files.remove(path("/data/link"), true, NO_PROBLEM))
        .isEqualTo(new RemoteTotals(0, 0, 1, 0, 0));
    assertThat(files.remove(path("/data/plain"), false, NO_PROBLEM))
        .isEqualTo(new RemoteTotals(1, 0, 0, 0, 0));
    assertThat(files.remove(path("/data/a/b/c"), true, NO_PROBLEM))
        .isEqualTo(new RemoteTotals(1, 1, 0, 0, 9));
    assertThat(data.resolve("a/b")).isEmptyDirectory();
    assertThat(data.toFile().list()).containsExactly("a");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/", "", "/data", "/data/", "/data/.", "/inner", "/data/a/b", "/data/a/b/"})
  void anExportItselfStays(String export) throws Exception {
    assertFails(ErrorCode.FORBIDDEN, () -> files.remove(path(export), true, NO_PROBLEM));
    assertFails(ErrorCode.FORBIDDEN, () -> files.rename(path(export), path("/data/new")));
    assertThat(data.resolve("a/b/c/file")).hasContent("123456789");
  }

  @Test
  void anExportWithinWhatIsRemovedStays() throws Exception {
    Files.writeString(data.resolve("a/beside"), "");
    List<String> problems = new ArrayList<>();

    files.remove(path("/data/a"), true, (path, code, message) -> problems.add(path + " " + code));

    assertThat(problems).containsExactly("/data/a/b FORBIDDEN");
    assertThat(data.resolve("a/b/c/file")).hasContent("123456789");
    assertThat(data.resolve("a/beside")).doesNotExist();
  }

  @Test
  void whatIsForReadingIsNotChanged() throws Exception {
    assertNoChange(files, "/fixed");
    String token =
        tokens.create(
            new Grant(
                "ro",
                Instant.now(),
                Optional.empty(),
                true,
                Set.of(),
                List.of(),
                true,
                false,
                RelayGrant.UNLIMITED));
    awaitGood(token);
    try (FdtClient reader = client(token);
        RemoteFiles readers = reader.files()) {
      assertNoChange(readers, "/fixed");
      assertNoChange(readers, "/inner/c");
      assertThat(readers.list(path("/inner/c"))).hasSize(1);
    }
    assertThat(data.resolve("a/b/c").toFile().list()).containsExactly("file");
  }

  private static void assertNoChange(RemoteFiles some, String in) {
    assertFails(ErrorCode.FORBIDDEN, () -> some.makeDirectory(path(in + "/new"), true));
    assertFails(ErrorCode.FORBIDDEN, () -> some.rename(path(in + "/file"), path(in + "/new")));
    assertFails(ErrorCode.FORBIDDEN, () -> some.remove(path(in + "/file"), true, NO_PROBLEM));
    assertFails(ErrorCode.FORBIDDEN, () -> some.rename(path("/data/plain"), path("/fixed/new")));
    assertFails(ErrorCode.FORBIDDEN, () -> some.rename(path("/fixed/file"), path("/data/new")));
  }

  @Test
  void aNarrowTokenReachesNoOtherExport() throws Exception {
    String token =
        tokens.create(
            new Grant(
                "narrow",
                Instant.now(),
                Optional.empty(),
                false,
                Set.of(FileName.of("inner")),
                List.of(),
                true,
                false,
                RelayGrant.UNLIMITED));
    awaitGood(token);
    try (FdtClient narrow = client(token);
        RemoteFiles some = narrow.files()) {
      for (String hidden : List.of("/data/plain", "/fixed/file", "/nowhere/x")) {
        assertFails(ErrorCode.FORBIDDEN, () -> some.stat(path(hidden)));
        assertFails(ErrorCode.FORBIDDEN, () -> some.makeDirectory(path(hidden), true));
        assertFails(ErrorCode.FORBIDDEN, () -> some.rename(path(hidden), path("/inner/x")));
        assertFails(ErrorCode.FORBIDDEN, () -> some.remove(path(hidden), true, NO_PROBLEM));
        assertFails(
            ErrorCode.FORBIDDEN,
            () -> some.checksum(path(hidden), true, Checksum.CRC32C, NO_PROBLEM));
        assertFails(ErrorCode.FORBIDDEN, () -> some.measure(path(hidden), NO_PROBLEM));
      }
      assertThat(some.list(path("/"))).hasSize(1);
      some.makeDirectory(path("/inner/new"), false);
      assertFails(ErrorCode.FORBIDDEN, () -> some.remove(path("/inner"), true, NO_PROBLEM));
    }
  }

  private void awaitGood(String token) {
    Awaitility.await()
        .atMost(30, TimeUnit.SECONDS)
        .ignoreExceptionsInstanceOf(FdtException.class)
        .until(
            () -> {
              try (FdtClient one = client(token)) {
                return one.list(path("/")) != null;
              }
            });
  }

  private List<RemoteDigest> digests(String path, boolean recursive, Checksum checksum)
      throws Exception {
    List<RemoteDigest> digests = new ArrayList<>();
    files.checksum(path(path), recursive, checksum, digests(digests));
    return digests;
  }

  private static RemoteVisitor digests(List<RemoteDigest> digests) {
    return new RemoteVisitor() {
      @Override
      public void digest(RemoteDigest digest) {
        digests.add(digest);
      }

      @Override
      public void problem(String path, ErrorCode code, String message) {
        NO_PROBLEM.problem(path, code, message);
      }
    };
  }

  @Test
  void digestsAreThoseThatOthersKnow() throws Exception {
    assertThat(digests("/data/a/b/c/file", false, Checksum.CRC32C))
        .containsExactly(new RemoteDigest(path("/data/a/b/c/file"), 9, "crc32c", "e3069283"));
    assertThat(digests("/data/plain", false, Checksum.BLAKE3).get(0).digest())
        .startsWith("af1349b9f5f9a1a6a0404dea36dcc949");
    assertThat(digests("/data", true, Checksum.CRC32C))
        .extracting(digest -> digest.path().toString())
        .containsExactlyInAnyOrder("plain", "a/b/c/file");
    assertFails(ErrorCode.WRONG_KIND, () -> digests("/data", false, Checksum.CRC32C));
    assertFails(ErrorCode.WRONG_KIND, () -> digests("/data/link", false, Checksum.CRC32C));
    assertFails(ErrorCode.USAGE, () -> digests("/data/plain", false, Checksum.NONE));
  }

  /** Whoever sets the time of a file back does not get the digest of what it was. */
  @Test
  void whatIsRememberedIsOfThisVersionOfTheFile() throws Exception {
    Path file = data.resolve("a/b/c/file");
    FileTime time = Files.getLastModifiedTime(file);
    List<RemoteDigest> first = digests("/data/a/b/c/file", false, Checksum.SHA256);
    // Beyond the moment in which a file system gives two changes one time.
    Awaitility.await()
        .atMost(60, TimeUnit.SECONDS)
        .pollDelay(3500, TimeUnit.MILLISECONDS)
        .until(() -> digests("/data/a/b/c/file", false, Checksum.SHA256).equals(first));

    Files.writeString(file, "987654321");
    Files.setLastModifiedTime(file, time);

    assertThat(digests("/data/a/b/c/file", false, Checksum.SHA256)).isNotEqualTo(first);
  }

  /** It would take days. */
  private void makeHugeFile(String name) throws Exception {
    try (RandomAccessFile file = new RandomAccessFile(data.resolve(name).toFile(), "rw")) {
      file.setLength(8L << 40);
    }
  }

  private static boolean anybodyReads() {
    return Thread.getAllStackTraces().entrySet().stream()
        .filter(thread -> thread.getKey().getName().equals("fdt-server-request"))
        .flatMap(thread -> Stream.of(thread.getValue()))
        .anyMatch(frame -> frame.getClassName().contains("FileDigests"));
  }

  private static void await(java.util.concurrent.Callable<Boolean> condition) {
    Awaitility.await().atMost(60, TimeUnit.SECONDS).until(condition);
  }

  @Test
  void aDigestEndsWithItsClientAndHoldsUpNobody() throws Exception {
    makeHugeFile("huge");
    List<Thread> readers = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      Thread reader =
          new Thread(
              () -> {
                try (RemoteFiles own = client.files()) {
                  own.checksum(path("/data/huge"), false, Checksum.BLAKE3, NO_PROBLEM);
                } catch (FdtException | InterruptedException e) {
                  Thread.currentThread().interrupt(); // the way it ends
                }
              },
              "reader" + i);
      reader.start();
      readers.add(reader);
    }
    await(RequestsTest::anybodyReads);

    TransferReport report =
        client
            .start(
                TransferRequest.pull()
                    .source("/data/a")
                    .destination(directory.resolve("here"))
                    .recursive(true)
                    .build(),
                TransferListener.NONE)
            .completion()
            .get(60, TimeUnit.SECONDS);
    assertThat(report.exitStatus()).as(report.failureMessage()).isZero();
    assertThat(digests("/data/a/b/c/file", false, Checksum.CRC32C)).hasSize(1);
    assertThat(anybodyReads()).isTrue();

    readers.forEach(Thread::interrupt);
    await(() -> !anybodyReads());
    for (Thread reader : readers) {
      reader.join(30_000);
      assertThat(reader.isAlive()).isFalse();
    }
  }

  @Test
  void revokingEndsTheRequestThatRuns() throws Exception {
    makeHugeFile("huge");
    String token =
        tokens.create(
            new Grant(
                "alice",
                Instant.now(),
                Optional.empty(),
                false,
                Set.of(),
                List.of(),
                true,
                false,
                RelayGrant.UNLIMITED));
    awaitGood(token);
    try (FdtClient alice = client(token);
        RemoteFiles own = alice.files()) {
      CompletableFuture<ErrorCode> ended =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  own.checksum(path("/data/huge"), false, Checksum.BLAKE3, NO_PROBLEM);
                  return null;
                } catch (FdtException e) {
                  return e.code();
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              });
      await(RequestsTest::anybodyReads);

      tokens.revoke("alice");

      assertThat(ended.get(60, TimeUnit.SECONDS)).isEqualTo(ErrorCode.UNAUTHENTICATED);
      await(() -> !anybodyReads());
    }
  }

  /** The server is never more than eight replies ahead, whatever the directory holds. */
  @Test
  void aLongListingComesAtThePaceOfItsReader() throws Exception {
    Path many = Files.createDirectory(data.resolve("many"));
    for (int i = 0; i < 600; i++) {
      Files.createSymbolicLink(many.resolve("link" + i), Path.of("/" + "x/".repeat(1900)));
    }
    try (RawPeer peer = RawPeer.greeted(server.address(), server.localToken())) {
      peer.send(look(1, "/data/many"));
      long seen = 0;
      for (int replies = 0; replies < 8; ) {
        Control next = peer.receive();
        if (next.hasReply()) {
          replies++;
          seen += next.getReply().getFilesCount();
          assertThat(next.getSerializedSize()).isLessThan(128 << 10);
        }
      }
      peer.send(Control.newBuilder().setPing(Ping.newBuilder().setNonce(7)).build());
      assertThat(peer.receive().getPong().getNonce()).isEqualTo(7);
      boolean ended = false;
      while (!ended) {
        peer.send(taken(1, 1));
        Control next = peer.receive();
        seen += next.getReply().getFilesCount();
        ended = next.hasRequestEnd();
      }
      assertThat(seen).isEqualTo(600);
    }
    assertThat(names("/data/many", false)).hasSize(600);
  }

  @Test
  void requestsAgainstTheRulesEndTheConnection() throws Exception {
    assertAgainstTheRules(look(0, "/data"));
    assertAgainstTheRules(look(2, "/data"), look(1, "/data"));
    assertAgainstTheRules(look(2, "/data"), look(2, "/data"));
    assertAgainstTheRules(Control.newBuilder().setReply(Reply.getDefaultInstance()).build());
    makeHugeFile("huge");
    Control digest =
        Control.newBuilder()
            .setRequest(
                Request.newBuilder()
                    .setId(1)
                    .setDigests(
                        io.fdt.core.wire.control.Digests.newBuilder()
                            .setPath(ByteString.copyFromUtf8("/data/huge"))))
            .build();
    assertAgainstTheRules(digest, taken(1, 1));
    assertAgainstTheRules(digest, look(2, "/data"));
  }

  private void assertAgainstTheRules(Control... messages) throws Exception {
    try (RawPeer peer = RawPeer.greeted(server.address(), server.localToken())) {
      for (Control message : messages) {
        peer.send(message);
      }
      Control last = peer.receiveAnswer();
      while (!last.hasAbort()) {
        last = peer.receiveAnswer();
      }
      assertThat(last.getAbort().getCode()).isEqualTo(ErrorCode.PROTOCOL.wireCode());
    }
  }

  /** A request that makes no sense is answered, and the next one is served. */
  @Test
  void requestsThatMakeNoSenseAreAnswered() throws Exception {
    try (RawPeer peer = RawPeer.greeted(server.address(), server.localToken())) {
      peer.send(Control.newBuilder().setRequest(Request.newBuilder().setId(1)).build());
      assertThat(endOf(peer, 1)).isEqualTo(ErrorCode.PROTOCOL.wireCode());
      peer.send(
          Control.newBuilder()
              .setRequest(
                  Request.newBuilder()
                      .setId(2)
                      .setMakeDirectory(
                          MakeDirectory.newBuilder().setPath(ByteString.copyFromUtf8("/data/\0"))))
              .build());
      assertThat(endOf(peer, 2)).isEqualTo(ErrorCode.BAD_NAME.wireCode());
      peer.send(
          Control.newBuilder()
              .setRequest(
                  Request.newBuilder()
                      .setId(3)
                      .setLook(Look.newBuilder().setPath(ByteString.copyFromUtf8("/data"))))
              .build());
      assertThat(endOf(peer, 3)).isEqualTo(ErrorCode.PROTOCOL.wireCode());
      peer.send(look(9, "/data"));
      assertThat(endOf(peer, 9)).isZero();
    }
  }

  private static int endOf(RawPeer peer, long id) throws Exception {
    Control answer = peer.receiveAnswer();
    while (answer.hasReply()) {
      answer = peer.receiveAnswer();
    }
    assertThat(answer.getRequestEnd().getId()).isEqualTo(id);
    return answer.getRequestEnd().getCode();
  }

  private static Control look(long id, String path) {
    return Control.newBuilder()
        .setRequest(
            Request.newBuilder()
                .setId(id)
                .setLook(
                    Look.newBuilder()
                        .setPath(ByteString.copyFromUtf8(path))
                        .setDepth(Depth.CONTENTS)))
        .build();
  }

  private static Control taken(long id, int replies) {
    return Control.newBuilder().setTaken(Taken.newBuilder().setId(id).setReplies(replies)).build();
  }

  private static Control.Builder listed(String name) {
    return reply(
        Reply.newBuilder()
            .setId(1)
            .addFiles(
                ListedFile.newBuilder()
                    .setName(ByteString.copyFromUtf8(name))
                    .setKind(EntryKind.FILE)));
  }

  private static Control.Builder reply(Reply.Builder reply) {
    return Control.newBuilder().setReply(reply);
  }

  @ParameterizedTest
  @ValueSource(strings = {"..", "", ".", "/etc/passwd", "a/b", "../x", "a\0"})
  void namesThatLeadElsewhereAreNoAnswer(String name) throws Exception {
    assertNoAnswer(listed(name));
  }

  @Test
  void answersToSomethingElseAreNone() throws Exception {
    assertNoAnswer(reply(Reply.newBuilder().setId(2)));
    assertNoAnswer(
        reply(
            Reply.newBuilder()
                .setId(1)
                .addDigests(FileDigest.newBuilder().setPath(ByteString.copyFromUtf8("x")))));
    assertNoAnswer(Control.newBuilder().setRequestEnd(RequestEnd.newBuilder().setId(2)));
    assertNoAnswer(
        reply(Reply.newBuilder().setId(1).setHost(HostDescription.newBuilder().setProcessors(1))));
    assertNoAnswer(reply(Reply.newBuilder().setId(1).setData(ByteString.copyFromUtf8("bytes"))));
    assertNoAnswer(Control.newBuilder().setTaken(Taken.newBuilder().setId(1)));
    Control.Builder[] flood = new Control.Builder[100_000];
    java.util.Arrays.fill(flood, listed("x"));
    assertNoAnswer(flood);
  }

  private static void assertNoAnswer(Control.Builder... answers) throws Exception {
    try (HostileServer hostile = new HostileServer("").answer(answers);
        FdtClient victim =
            FdtClient.builder("127.0.0.1")
                .port(hostile.port())
                .trust(ServerTrust.pinned(hostile.fingerprint()))
                .build();
        RemoteFiles remote = victim.files()) {
      assertFails(
          ErrorCode.PROTOCOL, () -> remote.list(path("/data"), false, names(new ArrayList<>())));
    }
  }

  /** More bytes than were asked for, none, and another thing than bytes. */
  @Test
  void rangesOfOtherLengthsAreNoAnswer() throws Exception {
    for (Control.Builder answer :
        List.of(
            reply(Reply.newBuilder().setId(1).setData(ByteString.copyFrom(new byte[11]))),
            reply(Reply.newBuilder().setId(1)),
            listed("x"))) {
      try (HostileServer hostile = new HostileServer("").answer(answer);
          FdtClient victim =
              FdtClient.builder("127.0.0.1")
                  .port(hostile.port())
                  .trust(ServerTrust.pinned(hostile.fingerprint()))
                  .build();
          RemoteFiles remote = victim.files()) {
        ByteBuffer target = ByteBuffer.allocate(10);
        assertFails(ErrorCode.PROTOCOL, () -> remote.read(path("/data/x"), 0, 0, target));
        assertThat(target.position()).isZero();
      }
    }
  }

  @Test
  void rangesOfFiles() throws Exception {
    byte[] bytes = new byte[1_000_000];
    new java.util.Random(7).nextBytes(bytes);
    Files.write(data.resolve("large"), bytes);
    long identity = files.stat(path("/data/large")).identity();
    for (int[] range : new int[][] {{0, 1_000_000}, {65_535, 65_537}, {999_999, 10}, {1, 0}}) {
      ByteBuffer target = ByteBuffer.allocate(range[1]);
      int length = Math.min(range[1], bytes.length - range[0]);
      assertThat(files.read(path("/data/large"), identity, range[0], target)).isEqualTo(length);
      assertThat(Arrays.copyOf(target.array(), length))
          .isEqualTo(Arrays.copyOfRange(bytes, range[0], range[0] + length));
    }
    ByteBuffer one = ByteBuffer.allocate(1);
    assertThat(files.read(path("/data/large"), 0, Long.MAX_VALUE, one)).isZero();
    assertFails(
        ErrorCode.SOURCE_CHANGED, () -> files.read(path("/data/large"), identity + 1, 0, one));
    assertFails(ErrorCode.WRONG_KIND, () -> files.read(path("/data/a"), 0, 0, one));
    assertFails(ErrorCode.WRONG_KIND, () -> files.read(path("/data/link"), 0, 0, one));
    assertFails(ErrorCode.WRONG_KIND, () -> files.read(path("/data/link/file"), 0, 0, one));
    assertFails(ErrorCode.NOT_FOUND, () -> files.read(path("/data/none"), 0, 0, one));
    assertFails(ErrorCode.FORBIDDEN, () -> files.read(path("/data/../fixed/file"), 0, 0, one));
    assertFails(ErrorCode.PROTOCOL, () -> files.read(path("/data/large"), 0, -1, one));
    assertThat(files.isConnected()).isTrue();
  }

  @Test
  void renamesThatReplace() throws Exception {
    Files.writeString(data.resolve("old"), "old");
    files.rename(path("/data/old"), path("/data/plain"), true);
    assertThat(data.resolve("plain")).hasContent("old");
    assertFails(
        ErrorCode.WRONG_KIND, () -> files.rename(path("/data/plain"), path("/data/a"), true));
    Files.createDirectory(data.resolve("empty"));
    assertFails(
        ErrorCode.FORBIDDEN, () -> files.rename(path("/data/empty"), path("/data/a/b"), true));
    assertFails(
        ErrorCode.WRONG_KIND, () -> files.rename(path("/data/empty"), path("/data/a"), true));
    assertFails(
        ErrorCode.FORBIDDEN, () -> files.rename(path("/data/plain"), path("/fixed/file"), true));
    assertFails(
        ErrorCode.WRONG_KIND,
        () -> files.rename(path("/data/plain"), path("/data/link/file"), true));
    files.rename(path("/data/plain"), path("/data/link"), true);
    assertThat(data.resolve("link")).isRegularFile().hasContent("old");
  }

  @Test
  void oneThingIsRemoved() throws Exception {
    files.removeOne(path("/data/plain"));
    files.removeOne(path("/data/link"));
    assertThat(data.resolve("link")).doesNotExist();
    assertFails(ErrorCode.WRONG_KIND, () -> files.removeOne(path("/data/a")));
    assertFails(ErrorCode.FORBIDDEN, () -> files.removeOne(path("/data/a/b")));
    assertFails(ErrorCode.FORBIDDEN, () -> files.removeOne(path("/data")));
    assertFails(ErrorCode.FORBIDDEN, () -> files.removeOne(path("/fixed/file")));
    Files.createDirectory(data.resolve("empty"));
    files.removeOne(path("/data/empty"));
    assertThat(data.resolve("empty")).doesNotExist();
    assertThat(data.resolve("a/b/c/file")).exists();
  }

  @Test
  void attributesAreChanged() throws Exception {
    Optional<Timestamp> time = Optional.of(new Timestamp(1_000_000_000, 5_000));
    files.change(path("/data/plain"), time, OptionalInt.of(0640));
    files.change(path("/data/a"), time, OptionalInt.of(0700));
    assertThat(files.stat(path("/data/plain")).mode()).isEqualTo(0640);
    assertThat(files.stat(path("/data/plain")).modified()).isEqualTo(time.get());
    assertThat(files.stat(path("/data/a")).mode()).isEqualTo(0700);
    FileTime before = Files.getLastModifiedTime(fixed);
    files.change(path("/data/link"), time, OptionalInt.empty());
    assertThat(files.stat(path("/data/link")).modified()).isEqualTo(time.get());
    assertThat(Files.getLastModifiedTime(fixed)).isEqualTo(before);
    assertFails(
        ErrorCode.WRONG_KIND,
        () -> files.change(path("/data/link"), Optional.empty(), OptionalInt.of(0777)));
    assertFails(
        ErrorCode.FORBIDDEN, () -> files.change(path("/fixed/file"), time, OptionalInt.empty()));
    assertFails(ErrorCode.FORBIDDEN, () -> files.change(path("/data"), time, OptionalInt.empty()));
    assertFails(
        ErrorCode.FORBIDDEN, () -> files.change(path("/data/a/b"), time, OptionalInt.empty()));
    assertFails(
        ErrorCode.PROTOCOL,
        () -> files.change(path("/data/plain"), Optional.empty(), OptionalInt.of(04777)));
  }
}
