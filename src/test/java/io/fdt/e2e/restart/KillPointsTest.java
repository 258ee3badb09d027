package io.fdt.e2e.restart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.e2e.Arrived;
import io.fdt.e2e.CommandProcess;
import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Transfers of which one end, or both, is killed (SIGKILL) when so many bytes have arrived; then
 * the same command again.
 *
 * <p>The points are spread evenly over the bytes of the dataset, with a random offset from a seed
 * that failures name. {@code make soak} runs many of them.
 */
class KillPointsTest {
  private static final int POINTS = Integer.getInteger("fdt.kill.points", 6);
  private static final long SEED = Long.getLong("fdt.kill.seed", 20261121);

  /** The whole of a transfer takes about a second; the start of a JVM takes as long. */
  private static final long BITS_PER_SECOND = 160_000_000;

  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final Pattern MOVED = Pattern.compile("files?, ([0-9.]+) (B|KiB|MiB) in ");

  private enum Victim {
    CLIENT,
    SERVER,
    BOTH
  }

  private enum Way {
    PULL,
    PUSH
  }

  /** One kill. */
  private record Point(int number, String tree, Way way, Victim victim, long bytes, long total) {}

  @RegisterExtension final Lab lab = new Lab();

  private CommandProcess server;
  private int port;
  private int inTheMiddle;

  @Test
  @Timeout(14_400)
  void theSameCommandCompletesWhateverWasKilledAndWhenever() throws Exception {
    List<String> trees = List.of("one", "many", "mixed");
    makeTrees();
    server = serve();
    port = server.port();
    SplittableRandom random = new SplittableRandom(SEED);
    System.out.printf("kill points: %d, seed %d%n", POINTS, SEED);
    for (int i = 0; i < POINTS; i++) {
      String tree = trees.get((i + i / 3) % trees.size());
      Way way = Way.values()[i / 3 % 2];
      Victim victim = Victim.values()[i % 3];
      long total = Arrived.in(lab.root().resolve("sources").resolve(tree)).total();
      long bytes = (long) (total * (i + random.nextDouble()) / POINTS);
      Point point = new Point(i, tree, way, victim, bytes, total);
      try {
        killAndRunAgain(point);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + SEED + ", " + point + ": " + e.getMessage(), e);
      }
    }
    System.out.printf("kill points: %d of %d in the middle%n", inTheMiddle, POINTS);
    assertThat(inTheMiddle).as("kills before the end").isGreaterThan(POINTS / 2);
  }

  private void makeTrees() throws IOException {
    Path sources = lab.directory("sources");
    lab.directory("copies");
    Content.write(sources.resolve("one/large"), (20L << 20) + 17, 1);
    for (int i = 0; i < 400; i++) {
      Content.write(sources.resolve("many/" + i % 7 + "/" + i), 131L * i % 90_000, i);
    }
    for (int i = 0; i < 3; i++) {
      Content.write(sources.resolve("mixed/large" + i), (5L << 20) + i, 100 + i);
      Content.write(sources.resolve("mixed/small/" + i), 300 << 10, 200 + i);
      Content.write(sources.resolve("mixed/empty/" + i), 0, 0);
    }
    Files.createSymbolicLink(sources.resolve("mixed/link"), Path.of("small/0"));
  }

  private CommandProcess serve(String... options) {
    List<String> words = new ArrayList<>(List.of("--export", "sources", "--export", "copies:rw"));
    words.addAll(List.of(options));
    return lab.serveProcess(words.toArray(String[]::new));
  }

  private String[] words(Point point, String... options) {
    List<String> words = new ArrayList<>(List.of("-P", "3", "-bs", "256K", "-r"));
    words.addAll(List.of(options));
    words.addAll(
        point.way() == Way.PULL
            ? List.of("-pull", "-d", "copies", "/sources/" + point.tree())
            : List.of("-d", "/copies", "sources/" + point.tree()));
    return Lab.clientOf(server, words.toArray(String[]::new));
  }

  private void killAndRunAgain(Point point) throws Exception {
    Path copy = lab.root().resolve("copies").resolve(point.tree());
    long bits = Math.max(8_000_000, Math.min(BITS_PER_SECOND, 8 * point.total()));
    String[] words = words(point, "-limit", bits + "bit/s");
    RunningCommand client =
        point.victim() == Victim.SERVER
            ? lab.start(lab.root(), words)
            : lab.startProcess(lab.root(), words);
    await("bytes at the destination")
        .atMost(DEADLINE)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(2))
        .until(() -> !client.isAlive() || reached(copy, point));
    inTheMiddle += client.isAlive() ? 1 : 0;

    kill(point.victim(), client);
    Arrived arrived = Arrived.in(copy);
    assertNothingWrong(copy, point);
    if (point.victim() != Victim.CLIENT) {
      server = serve("--port", Integer.toString(port));
      client.end(DEADLINE); // told that its session is lost, unless it was killed or had finished
    }
    Outcome again = // a process, too: the server knows the same command by its working directory
        (point.victim() == Victim.SERVER
                ? lab.run(lab.root(), words(point))
                : lab.runProcess(lab.root(), words(point)))
            .expect(0);

    Tree.assertSame(copy, lab.root().resolve("sources").resolve(point.tree()));
    assertThat(Lab.unfinishedFiles(copy)).as("temporary files").isEmpty();
    long toMove = point.total() - arrived.total();
    assertThat(moved(again))
        .as("bytes moved again, where %s had arrived: %s", arrived, again.summary())
        .isLessThanOrEqualTo(toMove + toMove / 100 + 1024);
    Shell.run(lab.root(), "rm -r copies/" + point.tree());
  }

  private static boolean reached(Path copy, Point point) {
    return Files.exists(copy) && Arrived.in(copy).total() >= point.bytes();
  }

  private void kill(Victim victim, RunningCommand client) {
    if (victim != Victim.CLIENT) {
      server.kill();
    }
    if (victim != Victim.SERVER) {
      client.kill();
    }
  }

  /** Promise 2: what has a final name is what the source has. */
  private void assertNothingWrong(Path copy, Point point) {
    Path source = lab.root().resolve("sources").resolve(point.tree());
    byte[] wrong =
        Shell.run(
            lab.root(),
            "[ ! -d '%s' ] || { cd '%s'; find . -type f ! -name '.fdt-*' ! -exec cmp -s {} '%s'/{} \\; -print; }"
                .formatted(copy, copy, source));
    assertThat(new String(wrong, StandardCharsets.US_ASCII)).as("wrong files").isEmpty();
  }

  /** Bytes, from a figure of three digits. */
  private static double moved(Outcome outcome) {
    Matcher matcher = MOVED.matcher(outcome.summary());
    assertThat(matcher.find()).as("%s", outcome).isTrue();
    int unit = List.of("B", "KiB", "MiB").indexOf(matcher.group(2));
    return Double.parseDouble(matcher.group(1)) * (1L << (10 * unit));
  }
}
