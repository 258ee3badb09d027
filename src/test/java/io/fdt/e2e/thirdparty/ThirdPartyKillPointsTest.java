package io.fdt.e2e.thirdparty;

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
 * Copies between two servers of which one of the three processes is killed (SIGKILL) when so many
 * bytes have arrived; then the same command again. In half of the points the destination's server
 * is the one that connects.
 *
 * <p>The points are spread evenly over the bytes of the dataset, with a random offset from a seed
 * that failures name. {@code make soak} runs many of them.
 */
class ThirdPartyKillPointsTest {
  private static final int POINTS = Integer.getInteger("fdt.kill.points.third", 6);
  private static final long SEED = Long.getLong("fdt.kill.seed", 20261123);

  /** The whole of a transfer takes about a second; the start of a JVM takes as long. */
  private static final long BITS_PER_SECOND = 160_000_000;

  private static final Duration DEADLINE = Duration.ofSeconds(90);
  private static final Pattern MOVED = Pattern.compile("files?, ([0-9.]+) (B|KiB|MiB) in ");

  private enum Victim {
    CLIENT,
    SOURCE,
    DESTINATION
  }

  /**
   * One kill.
   *
   * @param waits whether the client goes on by itself when a server is back
   */
  private record Point(
      int number,
      String tree,
      Victim victim,
      boolean destinationDials,
      boolean waits,
      long bytes,
      long total) {}

  @RegisterExtension final Lab lab = new Lab();

  private Path homeOfSource;
  private Path homeOfDestination;
  private CommandProcess source;
  private CommandProcess destination;
  private int sourcePort;
  private int destinationPort;
  private int inTheMiddle;

  @Test
  @Timeout(14_400)
  void theSameCommandCompletesWhicheverOfThreeWasKilledAndWhenever() throws Exception {
    List<String> trees = List.of("one", "many", "mixed");
    makeTrees();
    homeOfSource = lab.root().resolve("a");
    homeOfDestination = lab.root().resolve("b");
    source = serve(homeOfSource, "sources", 0);
    sourcePort = source.port();
    destination = serve(homeOfDestination, "copies:rw", 0);
    destinationPort = destination.port();
    SplittableRandom random = new SplittableRandom(SEED);
    System.out.printf("kill points of three parties: %d, seed %d%n", POINTS, SEED);
    for (int i = 0; i < POINTS; i++) {
      String tree = trees.get((i + i / 3) % trees.size());
      Victim victim = Victim.values()[i % 3];
      long total = Arrived.in(lab.root().resolve("sources").resolve(tree)).total();
      long bytes = (long) (total * (i + random.nextDouble()) / POINTS);
      boolean destinationDials = i >= POINTS / 2;
      boolean waits = i / 3 % 2 == 1;
      Point point = new Point(i, tree, victim, destinationDials, waits, bytes, total);
      if (i == POINTS / 2) {
        source.kill();
        source = serveSource(point);
      }
      try {
        killAndRunAgain(point);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + SEED + ", " + point + ": " + e.getMessage(), e);
      }
    }
    System.out.printf(
        "kill points of three parties: %d of %d in the middle%n", inTheMiddle, POINTS);
    assertThat(inTheMiddle).as("kills before the end").isGreaterThanOrEqualTo(POINTS / 2);
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

  private CommandProcess serve(Path home, String export, int port, String... options) {
    List<String> words = new ArrayList<>(List.of("--export", export));
    words.addAll(List.of("--port", Integer.toString(port)));
    words.addAll(List.of(options));
    return lab.serveProcessAt(home, words.toArray(String[]::new));
  }

  private CommandProcess serveSource(Point point) {
    String[] rule =
        point.destinationDials() ? new String[] {"--dial-to", "192.0.2.1"} : new String[0];
    return serve(homeOfSource, "sources", sourcePort, rule);
  }

  private String[] words(Point point, String... options) {
    List<String> words = new ArrayList<>(List.of("copy", "-P", "3", "-bs", "256K", "-r"));
    words.addAll(List.of("--accept-new"));
    words.addAll(List.of("--source-token-file", homeOfSource.resolve("token").toString()));
    words.addAll(List.of("--token-file", homeOfDestination.resolve("token").toString()));
    words.addAll(List.of(options));
    words.add("fdt://127.0.0.1:" + sourcePort + "/sources/" + point.tree());
    words.add("fdt://127.0.0.1:" + destinationPort + "/copies");
    return words.toArray(String[]::new);
  }

  private void killAndRunAgain(Point point) throws Exception {
    Path copy = lab.root().resolve("copies").resolve(point.tree());
    long bits = Math.max(8_000_000, Math.min(BITS_PER_SECOND, 8 * point.total()));
    String[] words =
        words(point, "-limit", bits + "bit/s", "--retry-timeout", point.waits() ? "60" : "0");
    RunningCommand client =
        point.victim() == Victim.CLIENT
            ? lab.startProcess(lab.root(), words)
            : lab.start(lab.root(), words);
    await("bytes at the destination")
        .atMost(DEADLINE)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(2))
        .until(() -> !client.isAlive() || reached(copy, point));
    boolean isInTheMiddle = client.isAlive();
    inTheMiddle += isInTheMiddle ? 1 : 0;

    switch (point.victim()) {
      case CLIENT -> client.kill();
      case SOURCE -> source.kill();
      case DESTINATION -> destination.kill();
    }
    Arrived arrived = Arrived.in(copy);
    assertNothingWrong(copy, point);
    if (point.victim() == Victim.SOURCE) {
      source = serveSource(point);
    } else if (point.victim() == Victim.DESTINATION) {
      destination = serve(homeOfDestination, "copies:rw", destinationPort);
    }
    if (point.victim() != Victim.CLIENT) {
      Outcome ended = client.end(DEADLINE);
      if (point.waits()) {
        ended.expect(0); // it has gone on by itself
      }
    }
    Outcome again = lab.run(lab.root(), words(point)).expect(0);

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

  /** Promise 2: what has a final name is what the source has. */
  private void assertNothingWrong(Path copy, Point point) {
    Path from = lab.root().resolve("sources").resolve(point.tree());
    byte[] wrong =
        Shell.run(
            lab.root(),
            "[ ! -d '%s' ] || { cd '%s'; find . -type f ! -name '.fdt-*' ! -exec cmp -s {} '%s'/{} \\; -print; }"
                .formatted(copy, copy, from));
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
