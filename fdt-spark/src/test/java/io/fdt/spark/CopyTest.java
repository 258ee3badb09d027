package io.fdt.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies between servers and directories that all executors see. */
@Timeout(100)
class CopyTest {
  private static final FileTime OLD = FileTime.from(Instant.parse("2020-02-03T04:05:06.789Z"));

  @TempDir Path root;
  private Path source;
  private Path target;
  private FdtServer server;

  @BeforeEach
  void serve() throws Exception {
    source = Files.createDirectories(root.resolve("source/tree"));
    target = Files.createDirectory(root.resolve("target"));
    Files.createDirectories(source.resolve("a/b"));
    Files.createDirectory(source.resolve("empty"));
    for (int i = 0; i < 7; i++) {
      Files.writeString(source.resolve("a/f" + i), "x".repeat(i));
    }
    Files.writeString(source.resolve("a/b/new\nline"), "1");
    Files.writeString(source.resolve("a/b/quote\"ü\\"), "2");
    Files.write(source.resolve("large"), new byte[300_000]);
    Files.createSymbolicLink(source.resolve("link"), Path.of("a/f1"));
    Files.setPosixFilePermissions(
        source.resolve("a/f2"), PosixFilePermissions.fromString("rw-r-----"));
    Files.setPosixFilePermissions(
        source.resolve("a/b"), PosixFilePermissions.fromString("rwxr-x---"));
    try (Stream<Path> all = Files.walk(source)) {
      for (Path path : all.sorted((one, other) -> other.compareTo(one)).toList()) {
        if (!Files.isSymbolicLink(path)) {
          Files.setLastModifiedTime(path, OLD);
        }
      }
    }
    server =
        TestSpark.serve(
            root.resolve("server"),
            Export.readOnly("data", root.resolve("source")),
            Export.readWrite("in", target));
  }

  @AfterEach
  void close() throws Exception {
    server.close();
  }

  private int run(ByteArrayOutputStream out, ByteArrayOutputStream err, String... words) {
    // Not stopped in the end: other tests have the same session.
    return Copy.run(
        List.of(words),
        TestSpark.driver(root, out, err),
        TestSpark.session()::newSession,
        session -> {});
  }

  private Outcome run(String... words) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int status = run(out, err, words);
    return new Outcome(status, TestSpark.text(out), TestSpark.text(err));
  }

  private record Outcome(int status, String out, String err) {}

  private static List<String> fates(Dataset<Row> rows) {
    List<String> fates = new ArrayList<>();
    for (Row row : rows.collectAsList()) {
      fates.add(row.getString(1) + " " + row.getString(0).replaceAll(".*/tree/", ""));
    }
    fates.sort(null);
    return fates;
  }

  private Dataset<Row> copy(String... words) throws Exception {
    List<String> all = new ArrayList<>(List.of("--accept-new", "--unit-files", "3"));
    all.addAll(List.of(words));
    return FdtSpark.copy(TestSpark.session(), all.toArray(String[]::new));
  }

  @Test
  void aBucketIsReachedThroughAServerOnly() {
    for (List<String> ends :
        List.of(
            List.of("s3://bucket/tree", TestSpark.url(server, "/in")),
            List.of(TestSpark.url(server, "/data/tree"), "s3://bucket/tree"))) {
      Outcome outcome = run("copy", "-r", ends.get(0), ends.get(1));
      assertThat(outcome.status()).isEqualTo(2);
      assertThat(outcome.err()).contains("fdt serve --export NAME=s3://bucket/tree");
    }
  }

  @Test
  void aTreeIsFetchedWithItsTimesAndASecondRunMovesNothing() throws Exception {
    String from = TestSpark.url(server, "/data/tree");

    Dataset<Row> rows = copy("-r", from, target.toString());

    assertThat(TreeText.of(target.resolve("tree"))).isEqualTo(TreeText.of(source));
    assertThat(fates(rows)).hasSize(10).allMatch(fate -> fate.startsWith("done "));
    Row large = rows.where("path like '%/large'").first();
    assertThat(large.getLong(2)).isEqualTo(300_000);
    assertThat(large.getString(3)).matches("[0-9a-f]{8}");
    assertThat(large.getInt(7)).isEqualTo(1);
    assertThat(large.getString(8)).isNotEmpty();

    assertThat(fates(copy("-r", from, target.toString())))
        .hasSize(10)
        .allMatch(fate -> fate.startsWith("unchanged "));
  }

  /** A file that is larger than a unit: several tasks copy it, and it has one row. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void severalTasksCopyOneFile(boolean isPush) throws Exception {
    byte[] content = new byte[(8 << 20) + 7];
    new SplittableRandom(1).nextBytes(content);
    Files.write(source.resolve("huge"), content);
    Files.setLastModifiedTime(source.resolve("huge"), OLD);
    Files.setLastModifiedTime(source, OLD);
    String from = isPush ? source.toString() : TestSpark.url(server, "/data/tree");
    String to = isPush ? TestSpark.url(server, "/in") : target.toString();
    String[] words = {
      "copy", "--accept-new", "--unit-bytes", "2M", "--json", "--report", "report", "-r", from, to
    };

    Outcome first = run(words);

    assertThat(first.status()).as(first.err()).isZero();
    assertThat(TreeText.of(target.resolve("tree"))).isEqualTo(TreeText.of(source));
    // A task that finds the file in use, and waits, has moved blocks of its range in vain.
    Matcher moved = Pattern.compile("\"bytes\":(\\d+),").matcher(first.out());
    assertThat(moved.find()).as(first.out()).isTrue();
    assertThat(Long.parseLong(moved.group(1))).isBetween(8_688_638L, 8_688_638L + (2 << 20));
    assertThat(first.out()).contains("\"bytes_kept\":0,");
    assertThat(Files.readString(root.resolve("report"))).containsOnlyOnce("/huge\"");
    Files.delete(root.resolve("report"));
    assertThat(run(words).out()).contains("\"bytes\":0,").contains("\"files_unchanged\":11,");

    Files.delete(target.resolve("tree/huge"));
    Dataset<Row> rows = copy("--unit-bytes", "2M", "-r", from, to);
    assertThat(fates(rows)).contains("done huge").hasSize(11);
    assertThat(rows.where("path like '%huge'").first().getLong(2)).isEqualTo(content.length);
  }

  @Test
  void aTreeIsSentAndWhatTheSourceLacksIsDeleted() throws Exception {
    Files.createDirectories(target.resolve("tree/gone/deep"));
    Files.writeString(target.resolve("tree/gone/deep/x"), "");
    Files.writeString(target.resolve("tree/keep.tmp"), "");

    Dataset<Row> rows =
        copy(
            "-r",
            "--delete",
            "--exclude",
            "*.tmp",
            source.toString(),
            TestSpark.url(server, "/in"));

    assertThat(target.resolve("tree/keep.tmp")).exists();
    Files.delete(target.resolve("tree/keep.tmp"));
    Files.setLastModifiedTime(target.resolve("tree"), OLD);
    assertThat(TreeText.of(target.resolve("tree"))).isEqualTo(TreeText.of(source));
    assertThat(fates(rows.where("fate = 'deleted'"))).hasSize(3);
  }

  @Test
  void serversSendToEachOther() throws Exception {
    try (FdtServer other = TestSpark.serve(root.resolve("other"), Export.readWrite("in", target))) {
      Dataset<Row> rows =
          copy("-r", TestSpark.url(server, "/data/tree/"), TestSpark.url(other, "/in"));

      assertThat(fates(rows)).hasSize(10).allMatch(fate -> fate.startsWith("done "));
      assertThat(TreeText.of(target)).isEqualTo(TreeText.of(source));
    }
  }

  @Test
  void aDryRunTellsAndWritesNothing() throws Exception {
    Dataset<Row> rows =
        copy("-r", "-n", "--exclude", "/a", TestSpark.url(server, "/data/tree"), target.toString());

    assertThat(fates(rows)).containsExactly("due large");
    assertThat(target).isEmptyDirectory();
  }

  /** Nothing is deleted then, and the rest is copied. */
  @Test
  void aFileThatCannotBeCopiedIsTold() throws Exception {
    Path inTheWay = Files.createDirectories(target.resolve("tree/a/f1/full"));
    Path old = Files.createFile(target.resolve("tree/old"));
    Path report = root.resolve("report.json");

    Outcome outcome =
        run(
            "copy",
            "--accept-new",
            "--unit-files",
            "3",
            "--report",
            report.toString(),
            "-r",
            "--delete",
            TestSpark.url(server, "/data/tree"),
            target.toString());

    assertThat(outcome.status()).as(outcome.err()).isEqualTo(1);
    assertThat(outcome.out())
        .contains("9 files copied, 300,022 bytes")
        .contains(" 1 failed, 0 del");
    assertThat(inTheWay).exists();
    assertThat(old).exists();
    List<String> lines = Files.readAllLines(report);
    assertThat(lines.get(0)).startsWith("{\"start\":{\"event\":\"start\"");
    assertThat(lines).anyMatch(line -> line.contains("\"fate\":\"failed\"") && line.contains("f1"));
    assertThat(lines.get(lines.size() - 1))
        .contains("\"exit_status\":1,", "\"files_done\":9,", "\"files_failed\":1,");
  }

  @Test
  void theFirstFilesThatFailAreNamedWithoutAReport() throws Exception {
    for (int i = 0; i < 12; i++) {
      Files.writeString(source.resolve("g" + i), "g");
      Files.createDirectories(target.resolve("tree/g" + i + "/full"));
    }

    Outcome outcome =
        run(
            "copy",
            "--accept-new",
            "--unit-files",
            "3",
            "-r",
            TestSpark.url(server, "/data/tree"),
            target.toString());

    assertThat(outcome.status()).as(outcome.err()).isEqualTo(1);
    assertThat(
            outcome.err().lines().filter(line -> line.matches(".*/tree/g\\d+' is a directory.*")))
        .hasSize(10);
    assertThat(outcome.err()).contains("2 more failed; add --report FILE to see them");
  }

  @Test
  void theSummaryIsForPrograms() {
    Outcome outcome =
        run(
            "copy",
            "--accept-new",
            "--json",
            TestSpark.url(server, "/data/tree/large"),
            target.resolve("renamed").toString());

    assertThat(outcome.status()).as(outcome.err()).isZero();
    assertThat(outcome.out())
        .startsWith("{\"event\":\"summary\"")
        .contains("\"bytes\":300000,", "\"files_done\":1,")
        .endsWith("}\n");
    assertThat(target.resolve("renamed")).hasSize(300_000);
  }

  @Test
  void wrongWordsAreToldBeforeSparkStarts() {
    for (List<String> words :
        List.of(
            List.<String>of(),
            List.of("serve"),
            List.of("copy"),
            List.of("copy", "--report"),
            List.of("copy", "--no-such", "h:/x", "y"),
            List.of("copy", "--detach", "h:/x", "k:/y"))) {
      ByteArrayOutputStream err = new ByteArrayOutputStream();
      int status =
          Copy.run(
              words,
              TestSpark.driver(root, new ByteArrayOutputStream(), err),
              () -> {
                throw new AssertionError("a session for " + words);
              },
              session -> {});
      assertThat(status).as("%s: %s", words, TestSpark.text(err)).isEqualTo(2);
      assertThat(TestSpark.text(err).lines()).hasSize(1);
    }
  }

  @Test
  void aSourceThatIsMissingIsTold() {
    Outcome outcome =
        run(
            "copy",
            "--accept-new",
            TestSpark.url(server, "/data/none"),
            target.resolve("x").toString());

    assertThat(outcome.status()).isEqualTo(1);
    assertThat(outcome.err()).contains("none");
    assertThat(target).isEmptyDirectory();
  }

  /** Whoever reads rows later never copies, not even when they are lost. */
  @Test
  void rowsThatAreLostAreNotCopiedAgain() throws Exception {
    Dataset<Row> rows = copy(TestSpark.url(server, "/data/tree/large"), target + "/");
    assertThat(rows.count()).isEqualTo(1);
    Files.delete(target.resolve("large"));

    JavaSparkContext.fromSparkContext(TestSpark.session().sparkContext())
        .getPersistentRDDs()
        .values()
        .forEach(kept -> kept.unpersist(true));

    assertThatThrownBy(rows::count)
        .hasStackTraceContaining("an executor was lost with the rows of this task");
    assertThat(target).isEmptyDirectory();
  }
}
