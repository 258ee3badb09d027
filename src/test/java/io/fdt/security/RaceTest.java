package io.fdt.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.client.FdtClient;
import io.fdt.client.RemoteFile;
import io.fdt.client.RemoteFiles;
import io.fdt.client.RemoteVisitor;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Checksum;
import io.fdt.core.unit.ByteSize;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A directory on the way is exchanged with a link to the outside, in a tight loop, while files come
 * and go: nothing appears outside, and nothing of the outside is read. What fails for it fails with
 * a clear error; nobody else does.
 */
@Timeout(180)
class RaceTest {
  /** {@code make soak} takes longer. */
  private static final Duration EACH = Duration.ofMillis(Long.getLong("fdt.race.millis", 1500));

  private static final int LEAST_ROUNDS = 5;
  private static final int FILES = 40;
  private static final int LARGE = 5 << 20;
  private static final byte INSIDE = 'i';
  private static final byte SECRET = 's';

  @TempDir Path directory;

  private FdtServer server;
  private FdtClient client;
  private Path data;
  private Path outside;

  @BeforeEach
  void start() throws Exception {
    data = Files.createDirectory(directory.resolve("data"));
    outside = Files.createDirectory(directory.resolve("outside"));
    makeTree(outside, SECRET);
    server =
        FdtServer.builder()
            .port(0)
            .bind("127.0.0.1")
            .export(Export.readWrite("data", data))
            .build();
    server.start();
    client = FdtClient.builder("127.0.0.1").port(server.address().getPort()).build();
  }

  @AfterEach
  void nothingOutsideHasChanged() throws Exception {
    client.close();
    server.close();
    List<String> expected = names();
    try (Stream<Path> all = Files.walk(outside)) {
      List<Path> found = all.toList();
      assertThat(found.stream().map(p -> outside.relativize(p).toString()).sorted().toList())
          .isEqualTo(expected);
      for (Path path : found) {
        if (Files.isRegularFile(path)) {
          assertHolds(path, SECRET);
        }
      }
    }
  }

  private static List<String> names() {
    return Stream.concat(
            Stream.of("", "sub", "large"),
            Stream.iterate(0, i -> i + 1)
                .limit(FILES)
                .map(i -> i % 2 == 0 ? "file" + i : "sub/file" + i))
        .sorted()
        .toList();
  }

  private static void makeTree(Path root, byte content) throws IOException {
    Files.createDirectories(root.resolve("sub"));
    for (String name : names()) {
      if (name.contains("file") || name.equals("large")) {
        byte[] bytes = new byte[name.equals("large") ? LARGE : 2000];
        Arrays.fill(bytes, content);
        Files.write(root.resolve(name), bytes);
      }
    }
  }

  private static void assertHolds(Path file, byte content) throws IOException {
    byte[] found = Files.readAllBytes(file);
    byte[] expected = new byte[found.length];
    Arrays.fill(expected, content);
    assertThat(Arrays.mismatch(found, expected)).as("%s", file).isEqualTo(-1);
  }

  @Test
  void pushedFilesStayWithinTheExport() throws Exception {
    Path source = directory.resolve("source/tree");
    makeTree(source, INSIDE);
    Path tree = Files.createDirectory(data.resolve("tree"));
    Path link = Files.createSymbolicLink(data.resolve("link"), outside);
    run(push(source, "/data"));
    whileSwapping(
        tree,
        link,
        round -> {
          makeTree(source, INSIDE); // newer than what is there
          run(push(source, "/data"));
        });
    assertThat(run(push(source, "/data")).exitStatus()).isZero();
    assertHolds(tree.resolve("sub/file1"), INSIDE);
  }

  @Test
  void pulledFilesStayWithinTheDestination() throws Exception {
    makeTree(data.resolve("tree"), INSIDE);
    Path here = Files.createDirectory(directory.resolve("here"));
    Path tree = Files.createDirectory(here.resolve("tree"));
    Path link = Files.createSymbolicLink(here.resolve("link"), outside);
    whileSwapping(
        tree,
        link,
        round -> {
          makeTree(data.resolve("tree"), INSIDE); // newer than what is there
          run(pull("/data/tree", here));
        });
    assertThat(run(pull("/data/tree", here)).exitStatus()).isZero();
    assertHolds(tree.resolve("sub/file1"), INSIDE);
  }

  @Test
  void filesOutsideAreNeitherReadNorListed() throws Exception {
    Path tree = data.resolve("tree");
    makeTree(tree, INSIDE);
    Files.createFile(tree.resolve("only inside"));
    Path link = Files.createSymbolicLink(data.resolve("link"), outside);
    whileSwapping(
        tree,
        link,
        round -> {
          Path here = Files.createDirectory(directory.resolve("copy" + round));
          run(pull("/data/tree", here));
          run(pull("/data/tree/sub/file1", here));
          list();
        });
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.filter(p -> p.toString().contains("/copy")).toList()) {
        if (Files.isRegularFile(path, java.nio.file.LinkOption.NOFOLLOW_LINKS)) {
          assertHolds(path, INSIDE);
        }
      }
    }
  }

  @Test
  void whatIsMadeRenamedAndRemovedIsWithinTheExport() throws Exception {
    Path tree = data.resolve("tree");
    makeTree(tree, INSIDE);
    Path link = Files.createSymbolicLink(data.resolve("link"), outside);
    long removed = 0;
    try (RemoteFiles files = client.files()) {
      long[] gone = new long[1];
      Round round =
          number -> {
            attempt(() -> files.makeDirectory(BytePath.of("/data/tree/made/deep"), true));
            attempt(() -> files.rename(BytePath.of("/data/tree/sub"), BytePath.of("/data/sub")));
            attempt(() -> files.rename(BytePath.of("/data/sub"), BytePath.of("/data/tree/sub")));
            attempt(
                () ->
                    files.checksum(
                        BytePath.of("/data/tree/large"),
                        false,
                        Checksum.CRC32C,
                        PROBLEMS_ARE_FINE));
            attempt(
                () -> {
                  files.remove(BytePath.of("/data/tree/file0"), false, PROBLEMS_ARE_FINE);
                  gone[0]++;
                });
            attempt(() -> files.remove(BytePath.of("/data/tree/made"), true, PROBLEMS_ARE_FINE));
            attempt(
                () -> {
                  gone[0] +=
                      files.remove(BytePath.of("/data/tree/sub"), true, PROBLEMS_ARE_FINE).files();
                });
            makeTree(data.resolve("spare"), INSIDE);
            attempt(
                () -> files.rename(BytePath.of("/data/spare/sub"), BytePath.of("/data/tree/sub")));
          };
      // While the thread that exchanges them has no turn, the link stays where it is.
      for (int attempt = 0; attempt < 10 && gone[0] == 0; attempt++) {
        whileSwapping(tree, link, round);
      }
      removed = gone[0];
    }
    assertThat(removed).as("what was removed inside").isPositive();
  }

  private static final RemoteVisitor PROBLEMS_ARE_FINE =
      (path, code, message) -> assertThat(code).isNotEqualTo(ErrorCode.INTERNAL);

  private interface Attempt {
    void run() throws FdtException, InterruptedException;
  }

  /** It may fail, for what the one who swaps names has done. */
  private void attempt(Attempt attempt) throws InterruptedException {
    try {
      attempt.run();
    } catch (FdtException e) {
      assertThat(e.code())
          .as("%s", e)
          .isIn(ErrorCode.NOT_FOUND, ErrorCode.WRONG_KIND, ErrorCode.SOURCE_CHANGED);
      assertThat(e.getMessage()).doesNotContain(outside.toString());
    }
  }

  private interface Round {
    void run(int number) throws Exception;
  }

  /** For some seconds, and some rounds however slow the machine is. */
  private static void whileSwapping(Path one, Path other, Round round) throws Exception {
    long end = System.nanoTime() + EACH.toNanos();
    try (Swapper swapper = Swapper.start(one, other)) {
      for (int number = 0; number < LEAST_ROUNDS || System.nanoTime() < end; number++) {
        round.run(number);
      }
      assertThat(swapper.swaps()).as("exchanges").isPositive();
    }
  }

  private void list() throws Exception {
    try {
      List<RemoteFile> files = client.list(BytePath.of("/data/tree"));
      boolean isLink = files.size() == 1 && files.get(0).kind().toString().contains("SYMLINK");
      if (!isLink) {
        assertThat(files).anyMatch(file -> file.name().toString().equals("only inside"));
      }
    } catch (FdtException e) {
      assertThat(e.getMessage()).doesNotContain(outside.toString());
    }
  }

  private TransferReport run(TransferRequest request) throws Exception {
    TransferReport report =
        client.start(request, TransferListener.NONE).completion().get(60, TimeUnit.SECONDS);
    assertThat(report.failure())
        .as(report.failureMessage())
        .isNotEqualTo(java.util.Optional.of(ErrorCode.INTERNAL));
    return report;
  }

  private static TransferRequest pull(String from, Path to) {
    return TransferRequest.pull()
        .source(from)
        .destination(to)
        .destinationIsDirectory(true)
        .recursive(true)
        .streams(2)
        .blockSize(ByteSize.ofBytes(256 << 10))
        .build();
  }

  private static TransferRequest push(Path from, String to) {
    return TransferRequest.push()
        .source(from)
        .destination(to)
        .destinationIsDirectory(true)
        .recursive(true)
        .streams(2)
        .blockSize(ByteSize.ofBytes(256 << 10))
        .build();
  }
}
