package io.fdt.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is left when one end is told to stop, or dies, in the middle of a transfer. */
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

  @RegisterExtension final Lab lab = Lab.ofProcesses();

  private Path source;
  private Path copy;
  private RunningCommand server;

  @BeforeEach
  void serve() {
    Path data = lab.directory("sources/data");
    Content.write(data.resolve("large"), LARGE, 1);
    for (int i = 0; i < 20; i++) {
      Content.write(data.resolve("small/" + i), 100, i);
    }
    source = data;
    copy = lab.directory("copies").resolve("data");
    server = serveBoth();
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void interruptedClientLeavesNothingWrongAtEitherEnd(Way way) {
    RunningCommand client = startSlowly(way);

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
    RunningCommand client = startSlowly(way, "--retry-timeout", "1");

    server.signal("TERM");

    Outcome outcome = client.end(SECONDS).expect(3);
    assertThat(outcome.err()).contains("the server is stopping: trying again");
    assertThat(outcome.problems()).anySatisfy(line -> assertThat(line).contains("within 1 s"));
    server.end(SECONDS).expect(0);
    assertNothingWrongIsLeft();
    server = serveBoth();
    finish(way);
  }

  @Test
  void serverEndsOnSigintToo() {
    server.signal("INT");

    Outcome outcome = server.end(SECONDS).expect(0);
    assertThat(outcome.problems()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void clientOfAKilledServerTriesAgainAndContinuesWithANewServer(Way way) {
    server.stop();
    server = serveBoth("--limit", SLOW);
    int port = server.port();
    RunningCommand client = start(way, "-P", "2");

    server.signal("KILL");
    server.end();
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
    RunningCommand client = startSlowly(Way.PULL);
    server.signal("KILL");
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
    RunningCommand client = startSlowly(way);

    client.signal("KILL");
    client.end();

    assertNothingWrongIsLeft();
    finish(way);
    assertThat(server.isAlive()).isTrue();
  }

  @Test
  void aSourceThatHasChangedMeanwhileStartsOver() {
    RunningCommand client = startSlowly(Way.PULL);
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
        .removeIf(name -> name.matches("\\.fdt-[0-9a-f]{16}\\.(part|journal|journal\\.new)"));
    assertThat(left).doesNotContainKey("large");
    assertThat(original).containsAllEntriesOf(left);
  }

  /** Starts a transfer and waits until it is in the middle of the large file. */
  private RunningCommand startSlowly(Way way, String... options) {
    return start(way, "-limit", SLOW, options);
  }

  private RunningCommand start(Way way, String option, String value, String... options) {
    List<String> words = new ArrayList<>(List.of(options));
    words.addAll(0, List.of(words(way, option, value)));
    RunningCommand client = lab.start(lab.root(), words.toArray(String[]::new));
    Lab.awaitUnfinished(copy.getParent(), 2);
    assertThat(client.isAlive()).isTrue();
    return client;
  }

  /**
   * The same transfer once more, at full speed: it goes on where the first one stopped, and
   * completes.
   */
  private void finish(Way way) {
    Outcome outcome = lab.run(lab.root(), words(way, "-P", "2")).expect(0);
    assertThat(outcome.summary()).contains(" were there already");
    Tree.assertSame(copy, source);
  }

  private String[] words(Way way, String option, String value) {
    return way == Way.PULL
        ? Lab.clientOf(server, option, value, "-r", "-pull", "-d", "copies", "/sources/data")
        : Lab.clientOf(server, option, value, "-r", "-d", "/copies", "sources/data");
  }

  private RunningCommand serveBoth(String... options) {
    List<String> words = new ArrayList<>(List.of("--export", "sources", "--export", "copies:rw"));
    words.addAll(List.of(options));
    return lab.serve(words.toArray(String[]::new));
  }
}
