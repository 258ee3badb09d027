package io.fdt.e2e.stripe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.e2e.Arrived;
import io.fdt.e2e.CommandProcess;
import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
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
 * Copies to and from a server with two data nodes, of which one is killed, hangs or is told to stop
 * when so many bytes have arrived; the copy goes on with the others. {@code make soak} runs many of
 * them.
 */
class StripeKillPointsTest {
  private static final int POINTS = Integer.getInteger("fdt.kill.points.stripe", 2);
  private static final long SEED = Long.getLong("fdt.kill.seed", 20261124);
  private static final List<String> SIGNALS = List.of("KILL", "STOP", "TERM");
  private static final Pattern FINGERPRINT = Pattern.compile("SHA256:[A-Za-z0-9_-]{43}");
  private static final Duration DEADLINE = Duration.ofMinutes(2);

  @RegisterExtension final Lab lab = new Lab();

  private Path shared;
  private Path here;
  private Path token;
  private RunningCommand front;
  private String joining;
  private int inTheMiddle;

  /** One signal to one node. */
  private record Point(int number, String signal, boolean push, double share) {}

  @Test
  @Timeout(14_400)
  void aCopyGoesOnWithTheOtherNodesWheneverOneIsGone() throws Exception {
    shared = lab.directory("shared");
    here = lab.directory("here");
    Content.write(here.resolve("run/large"), (96 << 20) + 17, 1);
    Content.write(here.resolve("run/sub/other"), 24 << 20, 2);
    for (int i = 0; i < 50; i++) {
      Content.write(here.resolve("run/sub/small" + i), 1000L * i, 10 + i);
    }
    Shell.run(lab.root(), "mkdir shared/kept; cp -a here/run shared/kept/");
    startFront();
    CommandProcess[] nodes = {startNode(0), startNode(1)};
    SplittableRandom random = new SplittableRandom(SEED);
    System.out.printf("kill points of data nodes: %d, seed %d%n", POINTS, SEED);
    for (int i = 0; i < POINTS; i++) {
      double share = (i + random.nextDouble()) / POINTS * 0.8;
      int first = random.nextInt(SIGNALS.size());
      Point point =
          new Point(i, SIGNALS.get((first + i) % SIGNALS.size()), random.nextBoolean(), share);
      int victim = random.nextInt(2);
      try {
        copyWithout(nodes[victim], point);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + SEED + ", " + point + ": " + e.getMessage(), e);
      }
      nodes[victim] = startNode(victim);
    }
    System.out.printf("kill points of data nodes: %d of %d in the middle%n", inTheMiddle, POINTS);
    assertThat(inTheMiddle).as("signals before the end").isGreaterThanOrEqualTo(POINTS / 2);
  }

  private void startFront() throws Exception {
    token = lab.root().resolve("node.token");
    String made = lab.run(lab.root(), "token", "create", "node", "--data-node").expect(0).out();
    Files.writeString(token, made);
    Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
    front = lab.serve("--export", shared + ":rw");
    String server = "fdt://127.0.0.1:" + front.port();
    String told = lab.runAt(lab.root().resolve("stranger"), lab.root(), "ls", server + "/").err();
    Matcher fingerprint = FINGERPRINT.matcher(front.out() + told);
    assertThat(fingerprint.find()).isTrue();
    joining = server + "?fingerprint=" + fingerprint.group();
  }

  private CommandProcess startNode(int number) {
    int before = count("data node joined");
    CommandProcess node =
        lab.serveProcessAt(
            lab.root().resolve("node" + number),
            "--export",
            shared + ":rw",
            "--join",
            joining,
            "--join-token-file",
            token.toString());
    await("the node").atMost(DEADLINE).until(() -> count("data node joined") > before);
    return node;
  }

  private int count(String event) {
    return (front.err() + front.out()).split(event, -1).length - 1;
  }

  private void copyWithout(CommandProcess node, Point point) throws Exception {
    int gone = count("data node left");
    Path target = point.push() ? shared.resolve("run") : lab.root().resolve("back/run");
    String server = "fdt://127.0.0.1:" + front.port() + "/shared/";
    long total = Arrived.in(here.resolve("run")).total();
    // Three seconds: a machine that pauses finds it in the middle all the same.
    List<String> words =
        new ArrayList<>(List.of("copy", "-r", "-bs", "256K", "-P", "4", "--limit", "320Mbit/s"));
    words.addAll(point.push() ? List.of("run", server) : List.of(server + "kept/run", "back/"));
    RunningCommand copy = lab.start(point.push() ? here : lab.root(), words.toArray(String[]::new));
    await("bytes")
        .atMost(DEADLINE)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(1))
        .until(() -> !copy.isAlive() || arrived(target) >= point.share() * total);
    inTheMiddle += copy.isAlive() ? 1 : 0;
    node.signal(point.signal());

    copy.end(DEADLINE).expect(0);

    Tree.assertSame(target, here.resolve("run"));
    assertThat(Lab.unfinishedFiles(target)).as("temporary files").isEmpty();
    await("the end of the node").atMost(DEADLINE).until(() -> count("data node left") > gone);
    if (point.signal().equals("STOP")) {
      node.kill();
    }
    Shell.run(lab.root(), "rm -r '" + target + "'");
  }

  private static long arrived(Path target) throws IOException {
    return Files.exists(target) ? Arrived.in(target).total() : -1;
  }
}
