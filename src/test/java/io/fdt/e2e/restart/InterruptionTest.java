package io.fdt.e2e.restart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.e2e.CommandProcess;
import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is left when one end is told to stop, or dies, in the middle of a transfer. */
@Execution(ExecutionMode.CONCURRENT)
class InterruptionTest {
  private static final long LARGE = 40L << 20;

  /** Slow enough that no test sees the end of the large file: 40 MiB take 20 s. */
  private static final String SLOW = "16Mbit/s";

  /**
   * An end that is told to stop, or that loses the other one, needs no longer; on a busy machine.
   */
  private static final Duration SECONDS = Duration.ofSeconds(15);

  /** Which end has the sources. */
  enum Way {
    PULL,
    PUSH
  }

  @RegisterExtension final Lab lab = new Lab();

  private Path source;
  private Path copy;
  private RunningCommand server;

  @BeforeEach
  void makeData() {
    Path data = lab.directory("sources/data");
    Content.write(data.resolve("large"), LARGE, 1);
    for (int i = 0; i < 20; i++) {
      Content.write(data.resolve("small/" + i), 100, i);
    }
    source = data;
    copy = lab.directory("copies").resolve("data");
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void interruptedClientLeavesNothingWrongAtEitherEnd(Way way) {
    server = serveBoth();
    CommandProcess client = startSlowly(way);

    client.signal("INT");

    Outcome outcome = client.end(SECONDS).expect(130);
    assertThat(outcome.err())
        .containsPattern(
            "interrupted: \\d+ of 21 files done, \\S+ MiB of \\S+ MiB written; run the");
    assertNothingWrongIsLeft();
    assertThat(server.isAlive()).isTrue();
    finish(way);
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void clientOfAStoppedServerSaysSoAndGivesUpAfterItsRetryTimeout(Way way) {
    CommandProcess stopped = serveProcess();
    server = stopped;
    RunningCommand client = awaitData(start(way, "-limit", SLOW, "--retry-timeout", "1"));

    stopped.signal("TERM");

    Outcome outcome = client.end(SECONDS).expect(3);
    assertThat(outcome.err()).contains("the server is stopping: trying again");
    assertThat(outcome.problems()).anySatisfy(line -> assertThat(line).contains("within 1 s"));
    stopped.end(SECONDS).expect(0);
    assertNothingWrongIsLeft();
    server = serveBoth();
    finish(way);
  }

  @Test
  void serverEndsOnSigintToo() {
    CommandProcess interrupted = serveProcess();

    interrupted.signal("INT");

    Outcome outcome = interrupted.end(SECONDS).expect(0);
    assertThat(outcome.problems()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void clientOfAKilledServerTriesAgainAndContinuesWithANewServer(Way way) {
    CommandProcess killed = serveProcess("--limit", SLOW);
    server = killed;
    int port = killed.port();
    RunningCommand client = awaitData(start(way, "-P", "2"));

    killed.signal("KILL");
    killed.end();
    await("the client has noticed")
        .atMost(SECONDS)
        .until(() -> client.err().contains("trying again"));
    assertNothingWrongIsLeft();
    server = serveBoth("--port", Integer.toString(port));

    Outcome outcome = client.end().expect(0);
    assertThat(outcome.err()).contains("the server restarted: continuing");
    Tree.assertSame(copy, source);
  }

  @Test
  void clientThatTriesAgainCanBeInterrupted() {
    lab.leavesUnfinishedFiles();
    CommandProcess killed = serveProcess();
    server = killed;
    CommandProcess client = startSlowly(Way.PULL);
    killed.signal("KILL");
    await("the client has noticed")
        .atMost(SECONDS)
        .until(() -> client.err().contains("trying again"));

    client.signal("INT");

    client.end(SECONDS).expect(130);
    assertNothingWrongIsLeft();
  }

  /** The server would wait for the client to come back; the next attempt takes its place. */
  @ParameterizedTest
  @EnumSource(Way.class)
  void nextAttemptOfAKilledClientGoesOnAtOnce(Way way) {
    server = serveBoth();
    CommandProcess client = startSlowly(way);

    client.signal("KILL");
    client.end();

    assertNothingWrongIsLeft();
    // A process: the server notices that the other one is gone sooner than a JVM starts.
    assertFinished(lab.runProcess(lab.root(), words(way, "-P", "2")));
    assertThat(server.isAlive()).isTrue();
  }

  @Test
  void aSourceThatHasChangedMeanwhileStartsOver() {
    server = serveBoth();
    CommandProcess client = startSlowly(Way.PULL);
    client.signal("INT");
    client.end(SECONDS).expect(130);
    Shell.run(source, "printf changed | dd of=large bs=1 seek=5 conv=notrunc status=none");

    Outcome outcome = lab.run(lab.root(), words(Way.PULL, "-P", "2")).expect(0);

    assertThat(outcome.summary()).doesNotContain("were there already");
    assertThat(outcome.err()).contains("large").contains("starts over");
    Tree.assertSame(copy, source);
  }

  /**
   * All that has a final name is what the source has; the rest has a name that nobody takes for it.
   */
  private void assertNothingWrongIsLeft() {
    Map<String, String> original = Tree.beneath(source);
    Map<String, String> left = Tree.beneath(copy);
    left.values().removeIf(entry -> entry.startsWith("d "));
    left.keySet()
        .removeIf(
            name -> name.matches("(small/)?\\.fdt-[0-9a-f]{16}\\.(part|journal|journal\\.new)"));
    assertThat(left).doesNotContainKey("large");
    assertThat(original).containsAllEntriesOf(left);
  }

  /**
   * Starts a client that can be signalled, and waits until it is in the middle of the large file.
   */
  private CommandProcess startSlowly(Way way) {
    CommandProcess client = lab.startProcess(lab.root(), words(way, "-limit", SLOW));
    awaitData(client);
    return client;
  }

  private RunningCommand start(Way way, String... options) {
    return lab.start(lab.root(), words(way, options));
  }

  private RunningCommand awaitData(RunningCommand client) {
    Lab.awaitUnfinished(copy.getParent(), 2);
    assertThat(client.isAlive()).isTrue();
    return client;
  }

  /**
   * The same transfer once more, at full speed: it goes on where the first one stopped, and
   * completes.
   */
  private void finish(Way way) {
    assertFinished(lab.run(lab.root(), words(way, "-P", "2")));
  }

  private void assertFinished(Outcome outcome) {
    assertThat(outcome.expect(0).summary()).contains(" were there already");
    Tree.assertSame(copy, source);
  }

  private String[] words(Way way, String... options) {
    List<String> words = new ArrayList<>(List.of(options));
    words.addAll(
        way == Way.PULL
            ? List.of("-r", "-pull", "-d", "copies", "/sources/data")
            : List.of("-r", "-d", "/copies", "sources/data"));
    return Lab.clientOf(server, words.toArray(String[]::new));
  }

  private RunningCommand serveBoth(String... options) {
    return lab.serve(exports(options));
  }

  /** A server that can be signalled. */
  private CommandProcess serveProcess(String... options) {
    return lab.serveProcess(exports(options));
  }

  private static String[] exports(String... options) {
    List<String> words = new ArrayList<>(List.of("--export", "sources", "--export", "copies:rw"));
    words.addAll(List.of(options));
    return words.toArray(String[]::new);
  }
}
