package io.fdt.e2e.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.e2e.Arrived;
import io.fdt.e2e.CommandProcess;
import io.fdt.e2e.Content;
import io.fdt.e2e.JsonLines;
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
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/**
 * Copies through a relay with a spool, in both directions and over both transports, and such as are
 * left with it. One or two of the three processes are killed (SIGKILL) when so many bytes have
 * come; then the same command again. {@code make soak} runs many of them.
 */
class RelayKillPointsTest {
  private static final int POINTS = Integer.getInteger("fdt.kill.points.relay", 2);
  private static final long SEED = Long.getLong("fdt.kill.seed", 20261124);
  private static final long BITS_PER_SECOND = 120_000_000;
  private static final Duration DEADLINE = Duration.ofMinutes(2);

  private enum Victim {
    CLIENT,
    RELAY,
    SERVER
  }

  /**
   * One kill.
   *
   * @param share of the bytes; above 1 of those that have gone on from the spool, too
   */
  private record Point(
      int number,
      boolean handsOver,
      boolean isPull,
      String transport,
      Set<Victim> victims,
      double share) {
    Victim destination() {
      return isPull ? Victim.CLIENT : Victim.SERVER;
    }
  }

  /** Of the part before the relay, and of that behind it. */
  private static final List<String> TRANSPORTS = List.of("tcp", "udt,tcp", "tcp,udt", "udt");

  @RegisterExtension final Lab lab = new Lab();

  private Path source;
  private Path target;
  private Path pulled;
  private Path spool;
  private Path homeOfServer;
  private CommandProcess relay;
  private int relayPort;
  private CommandProcess server;
  private int serverPort;
  private String fingerprint;
  private long total;
  private int inTheMiddle;

  @Test
  @Timeout(14_400)
  void theSameCommandCompletesWhicheverOneOrTwoOfThreeWereKilled() throws Exception {
    source = lab.directory("source");
    target = lab.directory("target");
    pulled = lab.directory("pulled");
    spool = lab.root().resolve("spool");
    homeOfServer = lab.root().resolve("far");
    Content.write(source.resolve("run/large"), (12 << 20) + 17, 1);
    Content.write(source.resolve("run/other"), 5 << 20, 2);
    for (int i = 0; i < 100; i++) {
      Content.write(source.resolve("run/small/" + i), 97L * i, 10 + i);
    }
    total = Arrived.in(source).total();
    relay = startRelay(0);
    relayPort = relay.port();
    server = startServer(0);
    serverPort = server.port();
    Matcher shown = Pattern.compile("identity=(SHA256:\\S+)").matcher(server.err());
    assertThat(shown.find()).isTrue();
    fingerprint = shown.group(1);
    SplittableRandom random = new SplittableRandom(SEED);
    System.out.printf("kill points with a relay: %d, seed %d%n", POINTS, SEED);
    for (int i = 0; i < POINTS; i++) {
      boolean handsOver = i % 2 == 1;
      double share = random.nextDouble(handsOver ? 1.8 : 0.9);
      Set<Victim> victims = EnumSet.of(one(random));
      if (random.nextBoolean()) {
        victims.add(one(random));
      }
      boolean isPull = random.nextBoolean() && !handsOver;
      String transport = TRANSPORTS.get(random.nextInt(TRANSPORTS.size()));
      Point point = new Point(i, handsOver, isPull, handsOver ? "tcp" : transport, victims, share);
      try {
        killAndRunAgain(point);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + SEED + ", " + point + ": " + e.getMessage(), e);
      }
    }
    System.out.printf("kill points with a relay: %d of %d in the middle%n", inTheMiddle, POINTS);
    assertThat(inTheMiddle).as("kills before the end").isGreaterThanOrEqualTo(POINTS / 2);
  }

  private static Victim one(SplittableRandom random) {
    return List.of(Victim.values()).get(random.nextInt(Victim.values().length));
  }

  private CommandProcess startRelay(int port) {
    return lab.serveProcess(
        "--relay",
        "--spool",
        spool + ":1G",
        "--port",
        Integer.toString(port),
        "--export",
        "empty=" + lab.directory("empty"));
  }

  private CommandProcess startServer(int port) {
    return lab.serveProcessAt(
        homeOfServer,
        "--port",
        Integer.toString(port),
        "--export",
        "in=" + target + ":rw",
        "--export",
        "out=" + source);
  }

  private String[] words(Point point, boolean limited) {
    List<String> all = new ArrayList<>(List.of("copy", "-r", "--json", "-bs", "256K"));
    if (point.handsOver()) {
      all.add("--hand-over");
    } else {
      all.addAll(List.of("--transport", point.transport()));
    }
    if (limited) {
      all.addAll(List.of("--limit", BITS_PER_SECOND + "bit/s", "--retry-timeout", "0"));
    }
    all.addAll(List.of("--via", "127.0.0.1:" + relayPort));
    all.addAll(List.of("--token-file", homeOfServer.resolve("token").toString()));
    String there = "fdt://127.0.0.1:%d/%s?fingerprint=" + fingerprint;
    if (point.isPull()) {
      all.addAll(List.of(there.formatted(serverPort, "out/run"), "pulled/"));
    } else {
      all.addAll(List.of("source/run", there.formatted(serverPort, "in/")));
    }
    return all.toArray(String[]::new);
  }

  private void killAndRunAgain(Point point) throws Exception {
    RunningCommand client =
        point.victims().contains(Victim.CLIENT)
            ? lab.startProcess(lab.root(), words(point, true))
            : lab.start(lab.root(), words(point, true));
    boolean delivers = point.handsOver() && point.share() > 1;
    Path arrivesAt = point.isPull() ? pulled : target;
    Path where = point.handsOver() && !delivers ? spool.resolve("data") : arrivesAt;
    double share = delivers ? point.share() - 1 : point.share();
    await("bytes")
        .atMost(DEADLINE)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(2))
        .until(() -> isOver(client, delivers) || arrived(where) >= share * total);
    boolean isInTheMiddle = !isOver(client, delivers);
    inTheMiddle += isInTheMiddle ? 1 : 0;
    for (Victim victim : point.victims()) {
      switch (victim) {
        case CLIENT -> client.kill();
        case RELAY -> relay.kill();
        case SERVER -> server.kill();
      }
    }
    assertNothingWrong(arrivesAt);
    if (point.victims().contains(Victim.RELAY)) {
      relay = startRelay(relayPort);
    }
    if (point.victims().contains(Victim.SERVER)) {
      server = startServer(serverPort);
    }
    Outcome first = client.end(DEADLINE);

    // Of a hand-over, what the relay holds.
    long kept = arrived(where);
    Outcome again = // a process, too: the server knows the same command by its working directory
        point.victims().contains(Victim.CLIENT)
            ? lab.runProcess(lab.root(), words(point, false))
            : lab.run(lab.root(), words(point, false));
    if (again.status() != 0) {
      assertThat(again.toString()).contains("the relay has this already"); // all of it had come
    } else if (point.victims().contains(point.handsOver() ? Victim.RELAY : point.destination())) {
      assertLittleSentAgain(again, kept);
    }
    if (delivers && point.victims().contains(Victim.RELAY)) {
      String id = JsonLines.of(JsonLines.events(first), "detached").get(0).path("id").asString();
      assertLittleSentAgain(
          lab.run(lab.root(), "attach", "--json", "fdt://127.0.0.1:" + relayPort + "/" + id), kept);
    }

    await("the tree")
        .atMost(DEADLINE)
        .untilAsserted(
            () -> {
              assertThat(arrivesAt.resolve("run")).exists();
              Tree.assertSame(arrivesAt.resolve("run"), source.resolve("run"));
            });
    assertThat(Lab.unfinishedFiles(arrivesAt)).as("temporary files").isEmpty();
    Shell.run(arrivesAt, "rm -r run");
  }

  private void assertLittleSentAgain(Outcome run, long kept) {
    JsonNode summary = JsonLines.of(JsonLines.events(run.expect(0)), "summary").get(0);
    assertThat(summary.path("bytes").asLong())
        .as("sent again, of %d bytes, %d of them held; %s", total, kept, summary)
        .isLessThanOrEqualTo(total - kept);
  }

  private boolean isOver(RunningCommand client, boolean delivers) throws IOException {
    return !client.isAlive() && (!delivers || arrived(target) >= total);
  }

  private static long arrived(Path directory) throws IOException {
    return Files.exists(directory) ? Arrived.in(directory).total() : -1;
  }

  /** What has a final name is what the source has. */
  private void assertNothingWrong(Path where) {
    byte[] wrong =
        Shell.run(
            where,
            "[ ! -d run ] || { cd run; find . -type f ! -name '.fdt-*' ! -exec cmp -s {} '%s'/{} \\; -print; }"
                .formatted(source.resolve("run")));
    assertThat(new String(wrong, StandardCharsets.US_ASCII)).as("wrong files").isEmpty();
  }
}
