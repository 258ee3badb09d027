package io.fdt.e2e.copy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Tree;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Limits of the rate: no transfer is faster. How much slower one is, a benchmark says. */
@Execution(ExecutionMode.CONCURRENT)
class RateLimitTest {
  private static final int SIZE = 12_000_000;
  private static final int RATE = 8_000_000;

  /** What the first moments may bring; less than any packet of a file that is not limited. */
  private static final double LEAST_SECONDS = (double) SIZE / RATE - 0.1;

  @RegisterExtension private final Lab lab = new Lab();
  private Path source;
  private Path pushed;

  @BeforeEach
  void makeFiles() throws Exception {
    source = lab.directory("source");
    pushed = lab.directory("pushed");
    Files.createDirectories(source.resolve("a/b/c"));
    Content.write(source.resolve("a/b/c/large"), SIZE, 1);
    Content.write(source.resolve("a/b/small"), 100, 2);
  }

  private String serve(String... options) {
    List<String> all = new ArrayList<>(List.of("--export", source.toString()));
    all.addAll(List.of("--export", pushed + ":rw"));
    all.addAll(List.of(options));
    return "fdt://127.0.0.1:" + lab.serve(all.toArray(String[]::new)).port();
  }

  private static double seconds(long startNanos) {
    return (System.nanoTime() - startNanos) / 1e9;
  }

  @Test
  void theClientsLimitHoldsInBothDirections() throws Exception {
    Path pulled = lab.directory("pulled");
    String server = serve();

    long start = System.nanoTime();
    lab.run(lab.root(), "copy", "-r", "--limit", "8MB/s", source + "/", server + "/pushed/")
        .expect(0);
    assertThat(seconds(start)).isGreaterThan(LEAST_SECONDS);

    start = System.nanoTime();
    lab.run(
            lab.root(),
            "copy",
            "-r",
            "--limit",
            "00:00-12:00=8MB/s,12:00-24:00=8MB/s,else=off",
            server + "/source/",
            pulled + "/")
        .expect(0);
    assertThat(seconds(start)).isGreaterThan(LEAST_SECONDS);

    Tree.assertSame(pushed, source);
    Tree.assertSame(pulled, source);
  }

  /** Four seconds of data, and as long again for a busy machine, which has three attempts. */
  @Test
  void aLimitIsUsedNotOnlyKept() throws Exception {
    Path large = lab.directory("large");
    Content.write(large.resolve("file"), 4 * RATE, 3);
    String server = serve();

    double seconds = Double.MAX_VALUE;
    for (int attempt = 1; attempt <= 3 && seconds > 8; attempt++) {
      Files.deleteIfExists(pushed.resolve("file"));
      long start = System.nanoTime();
      lab.run(lab.root(), "copy", "--limit", "8MB/s", large + "/file", server + "/pushed/file")
          .expect(0);
      seconds = seconds(start);
      assertThat(seconds).isGreaterThan(3.9);
    }
    assertThat(seconds).isLessThan(8);
    Content.assertSame(pushed.resolve("file"), large.resolve("file"));
  }

  /** A push and a pull at the same time have no more than the server allows them together. */
  @Test
  void theServersLimitHoldsForAllTogether() throws Exception {
    Path pulled = lab.directory("pulled");
    String server = serve("--limit", "16MB/s");

    long start = System.nanoTime();
    RunningCommand push = lab.start(lab.root(), "copy", "-r", source + "/", server + "/pushed/");
    RunningCommand pull = lab.start(lab.root(), "copy", "-r", server + "/source/", pulled + "/");
    push.end().expect(0);
    pull.end().expect(0);

    // What a session that has ended leaves is shared anew; nothing was ever given twice.
    assertThat(seconds(start)).isGreaterThan(LEAST_SECONDS);
    Tree.assertSame(pushed, source);
    Tree.assertSame(pulled, source);
  }

  /** The same client twice: a token counts, not a connection. */
  @Test
  void theLimitOfAClientHoldsForItsTransfersTogether() throws Exception {
    Path pulled = lab.directory("pulled");
    String server = serve("--limit", "1GB/s", "--limit-per-client", "16MB/s");

    long start = System.nanoTime();
    RunningCommand push = lab.start(lab.root(), "copy", "-r", source + "/", server + "/pushed/");
    RunningCommand pull = lab.start(lab.root(), "copy", "-r", server + "/source/", pulled + "/");
    push.end().expect(0);
    pull.end().expect(0);

    assertThat(seconds(start)).isGreaterThan(LEAST_SECONDS);
    Tree.assertSame(pushed, source);
    Tree.assertSame(pulled, source);
  }

  @Test
  void aScheduleThatIsNoneEndsTheCommand() {
    Outcome copy = lab.run(lab.root(), "copy", "--limit", "09:00-18:00=100M", source + "/", "h:/x");
    copy.expect(2);
    assertThat(copy.err()).contains("has no rate for other times", ",else=off");
    Outcome serve =
        lab.run(lab.root(), "serve", "--limit", "18:00-09:00=1M,08:00-10:00=2M,else=off");
    serve.expect(2);
    assertThat(serve.err()).contains("'18:00-09:00' and '08:00-10:00' overlap on Mon at 08:00");
  }
}
