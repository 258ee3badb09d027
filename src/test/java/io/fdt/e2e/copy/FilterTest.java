package io.fdt.e2e.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** User code before and after transfers: the example that compresses, and one that writes down. */
class FilterTest {
  private static final Path EXAMPLE = Path.of("../examples/compress/src");
  private static final Duration DEADLINE = Duration.ofSeconds(30);

  /** Writes down what it sees; refuses a source or destination whose name has "secret" in it. */
  private static final String DIARY =
      """
      import io.fdt.core.filter.*;
      import java.nio.file.*;
      public final class Diary implements PreFilter, PostFilter {
        private static final Path DIARY;
        static {
          try (java.io.InputStream name = Diary.class.getResourceAsStream("diary.path")) {
            DIARY = Path.of(new String(name.readAllBytes()));
          } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
          }
        }
        public FilteredTransfer before(FilteredTransfer t) throws Exception {
          if (t.sources().toString().contains("secret") || t.destination().toString().contains("secret")) {
            throw new IllegalStateException("that is secret");
          }
          write("before sends=" + t.sends() + " sources=" + t.sources().size() + " to=" + t.destination());
          return t;
        }
        public void after(FilteredTransfer t, TransferOutcome outcome) throws Exception {
          StringBuilder text = new StringBuilder("after failure=" + outcome.failure());
          for (FileResult file : outcome.files()) {
            text.append("\\n").append(file.outcome()).append(' ').append(file.path()).append(' ')
                .append(file.size()).append(' ').append(file.digest().length()).append(' ')
                .append(t.file(file.path()).map(Files::exists).orElse(false));
          }
          write(text.toString());
          if (DIARY.endsWith("broken")) {
            throw new java.io.IOException("no ink");
          }
        }
        private static synchronized void write(String text) throws Exception {
          Files.writeString(DIARY, text + "\\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        }
      }
      """;

  @TempDir static Path compiled;
  @RegisterExtension final Lab lab = new Lab();

  private Path classes;
  private Path source;

  @BeforeAll
  static void compile() throws IOException {
    Path diary = compiled.resolve("Diary.java");
    Files.writeString(diary, DIARY);
    List<String> arguments =
        new ArrayList<>(List.of("-cp", System.getProperty("fdt.jar"), "-d", compiled.toString()));
    arguments.add(diary.toString());
    try (Stream<Path> files = Files.walk(EXAMPLE)) {
      files.filter(f -> f.toString().endsWith(".java")).forEach(f -> arguments.add(f.toString()));
    }
    assertThat(
            ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, arguments.toArray(String[]::new)))
        .isZero();
    Shell.run(compiled, "cp -r '" + EXAMPLE.toAbsolutePath() + "/META-INF' .");
  }

  @BeforeEach
  void makeSource() {
    classes = classesOf("client");
    source = lab.directory("source");
    Content.write(source.resolve("a/b/c/large"), 5 << 20, 1);
    Content.write(source.resolve("a/small"), 1000, 2);
  }

  /** The classes with a diary of their own. */
  private Path classesOf(String whose) {
    Path own = lab.root().resolve(whose + "-classes");
    Shell.run(
        lab.root(),
        "cp -r '%s' '%s'; printf %%s '%s-diary' > '%s/diary.path'"
            .formatted(compiled, own, lab.root().resolve(whose), own));
    return own;
  }

  private String[] with(RunningCommand server, String... words) {
    return Lab.clientOf(
        server,
        Stream.concat(Stream.of("--filter-path", classes.toString()), Stream.of(words))
            .toArray(String[]::new));
  }

  /** With filters, which have a diary of their own. */
  private RunningCommand serve(String... options) {
    return lab.serve(
        Stream.concat(
                Stream.of("--filter-path", classesOf("server").toString()), Stream.of(options))
            .toArray(String[]::new));
  }

  @Test
  void theExampleCompressesOnTheWay() throws IOException {
    lab.directory("in/x/y");
    Path text = lab.root().resolve("text");
    Files.writeString(text, "the same again\n".repeat(100_000));
    RunningCommand server = serve("--export", "in:rw", "--post-filter", "CompressAfter");

    Outcome outcome =
        lab.run(
                lab.root(),
                with(
                    server,
                    "--pre-filter=CompressBefore",
                    "--post-filter=org.example.fdt.CompressAfter",
                    "--report=report",
                    "-d",
                    "/in/x/y",
                    "text"))
            .expect(0);

    Path arrived = lab.root().resolve("in/x/y/text");
    await("the server has expanded it").atMost(DEADLINE).until(() -> Files.exists(arrived));
    Content.assertSame(arrived, text);
    await("and removed what came")
        .atMost(DEADLINE)
        .until(() -> Files.notExists(arrived.resolveSibling("text.gz")));
    assertThat(outcome.summary()).contains("1 file");
    String report = Files.readString(lab.root().resolve("report"));
    assertThat(report).contains("text.gz");
    Path copy = Path.of(report.replaceAll("(?s).*\"([^\"]*/text\\.gz)\".*", "$1"));
    assertThat(copy.getParent()).as("the copy's directory").doesNotExist();
  }

  @Test
  void filtersOfBothEndsSeeEachFileAndWhatBecameOfIt() {
    RunningCommand server =
        serve("--export", "source", "--pre-filter", "Diary", "--post-filter", "Diary");
    String[] pull =
        with(
            server,
            "-preFilters=Diary",
            "-postFilters=Diary",
            "-r",
            "-pull",
            "-d",
            "copy",
            "/source");

    lab.run(lab.root(), pull).expect(0);
    lab.run(lab.root(), pull).expect(0);

    assertThat(diary("client"))
        .containsSubsequence(
            "before sends=false sources=1 to=copy",
            "after failure=Optional.empty",
            "before sends=false sources=1 to=copy",
            "after failure=Optional.empty")
        .contains(
            "DONE copy/source/a/b/c/large 5242880 8 true",
            "DONE copy/source/a/small 1000 8 true",
            "UNCHANGED copy/source/a/small 1000 0 true")
        .hasSize(8);
    await("the server's own").atMost(DEADLINE).until(() -> diary("server").size() == 8);
    assertThat(diary("server"))
        .contains(
            "before sends=true sources=1 to=",
            "DONE /source/a/b/c/large 5242880 8 true",
            "UNCHANGED /source/a/b/c/large 5242880 0 true");
  }

  private List<String> diary(String whose) {
    try {
      return Files.readAllLines(lab.root().resolve(whose + "-diary"));
    } catch (IOException e) {
      return List.of();
    }
  }

  @Test
  void aFilterMaySayNo() {
    lab.directory("in/secret");
    RunningCommand server = serve("--export", "in:rw", "--pre-filter", "Diary");

    Outcome byServer =
        lab.run(lab.root(), Lab.clientOf(server, "-r", "-d", "/in/secret", "source")).expect(1);
    Outcome byClient =
        lab.run(lab.root(), with(server, "--pre-filter=Diary", "-d", "/in/secret", "-r", "source"))
            .expect(1);

    assertThat(byServer.problems()).containsExactly("fdt: filter Diary: that is secret");
    assertThat(byClient.problems()).containsExactly("fdt: filter Diary: that is secret");
    assertThat(lab.root().resolve("in/secret")).isEmptyDirectory();
    assertThat(diary("client")).isEmpty();
  }

  /** Names that a Java path escapes for people, and what a token does not reach. */
  @Test
  void aFilterSeesTheRealFileAndOnlyWhatTheTokenReaches() throws IOException {
    Content.write(lab.directory("odd").resolve("we\\ird\tname"), 100, 7);
    RunningCommand server =
        serve(
            "--export",
            "source",
            "--export",
            "odd",
            "--pre-filter",
            "Diary",
            "--post-filter",
            "Diary");
    String token =
        lab.run(lab.root(), "token", "create", "narrow", "--export", "odd").expect(0).out();
    lab.environment("FDT_TOKEN", token.strip());

    await("the token is known")
        .atMost(DEADLINE)
        .until(() -> lab.run(lab.root(), Lab.clientOf(server, "-ls", "/odd")).status() == 0);
    lab.run(lab.root(), Lab.clientOf(server, "-r", "-pull", "-d", "copy", "/source")).expect(4);
    lab.run(lab.root(), Lab.clientOf(server, "-r", "-pull", "-d", "copy", "/odd")).expect(0);

    await("the server's own").atMost(DEADLINE).until(() -> diary("server").size() == 3);
    assertThat(diary("server").get(2)).startsWith("DONE /odd/we").endsWith(" 100 8 true");
  }

  @Test
  void aFilterThatFailsAfterwardsIsToldOf() {
    classes = classesOf("broken");
    Shell.run(classes, "printf %s '" + lab.root().resolve("broken") + "' > diary.path");
    RunningCommand server = lab.serve("--export", "source");

    Outcome outcome =
        lab.run(
                lab.root(),
                with(server, "--post-filter=Diary", "-pull", "-d", "copy", "/source/a/small"))
            .expect(1);

    assertThat(outcome.problems()).containsExactly("fdt: filter Diary: no ink");
    Content.assertSame(lab.root().resolve("copy/small"), source.resolve("a/small"));
  }

  @Test
  void aDryRunHasNoFilters() {
    RunningCommand server = lab.serve("--export", "source");

    lab.run(
            lab.root(),
            with(server, "--pre-filter=Diary", "--dry-run", "-r", "-pull", "-d", "x", "/source"))
        .expect(0);

    assertThat(diary("client")).isEmpty();
  }

  @Test
  void aFilterThatIsNotThereEndsTheCommand() {
    RunningCommand server = lab.serve("--export", "source");

    assertThat(
            lab.run(lab.root(), with(server, "--pre-filter=Dairy", "-pull", "-d", "x", "/source"))
                .expect(2)
                .problems())
        .singleElement()
        .asString()
        .contains("no filter 'Dairy'");
    assertThat(
            lab.run(
                    lab.root(),
                    with(server, "--pre-filter=CompressAfter", "-pull", "-d", "x", "/source"))
                .expect(2)
                .problems())
        .singleElement()
        .asString()
        .contains("no filter 'CompressAfter'");
    assertThat(
            lab.run(
                    lab.root(),
                    with(
                        server,
                        "--pre-filter=org.example.fdt.CompressAfter",
                        "-pull",
                        "-d",
                        "x",
                        "/source"))
                .expect(2)
                .problems())
        .singleElement()
        .asString()
        .contains("filter 'org.example.fdt.CompressAfter': it is not a PreFilter");
  }
}
