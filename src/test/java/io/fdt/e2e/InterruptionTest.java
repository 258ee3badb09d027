package io.fdt.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is left when one end is told to stop, or dies, in the middle of a transfer. */
class InterruptionTest {
  private static final long LARGE = 64L << 20;

  /** Slow enough that no test sees the end of the large file: 64 MiB take over two minutes. */
  private static final String SLOW = "4Mbit/s";

  /** An end that is told to stop, or that loses the other one, needs no longer; on a busy machine. */
  private static final Duration SECONDS = Duration.ofSeconds(15);

  /** Which end has the sources. */
  enum Way {
    PULL,
    PUSH
  }

  @RegisterExtension final Lab lab = new Lab();

  private Path source;
  private Path copy;
  private RunningJar server;

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
  void interruptedClientLeavesNothingHalfDoneAtEitherEnd(Way way) {
    RunningJar client = startSlowly(way);

    client.signal("INT");

    Outcome outcome = client.end(SECONDS).expect(130);
    assertThat(outcome.err()).contains("interrupted: ");
    assertNothingWrongIsLeft();
    assertThat(server.isAlive()).isTrue();
    finish(way);
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void stoppedServerEndsItsClientsWithAClearMessage(Way way) {
    RunningJar client = startSlowly(way);

    server.signal("TERM");

    Outcome outcome = client.end(SECONDS).expect(3);
    assertThat(outcome.problems()).singleElement().asString().contains("the server is stopping");
    server.end(SECONDS).expect(0);
    assertNothingWrongIsLeft();
  }

  @Test
  void serverEndsOnSigintToo() {
    server.signal("INT");

    Outcome outcome = server.end(SECONDS).expect(0);
    assertThat(outcome.problems()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void killedServerEndsItsClientsWithAClearMessage(Way way) {
    RunningJar client = startSlowly(way);

    server.signal("KILL");

    Outcome outcome = client.end(SECONDS).expect(3);
    assertThat(outcome.problems()).isNotEmpty();
    assertThat(outcome.problems().get(outcome.problems().size() - 1)).contains("127.0.0.1");
    server.end();
    if (way == Way.PULL) {
      assertNothingWrongIsLeft();
    } else {
      assertThat(copy.resolve("large")).doesNotExist();
    }
    server = serveBoth();
    finish(way);
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void serverOutlivesAKilledClient(Way way) {
    RunningJar client = startSlowly(way);

    client.signal("KILL");

    client.end();
    await("the server has noticed")
        .atMost(SECONDS)
        .until(() -> server.err().contains("session ended"));
    if (way == Way.PUSH) {
      assertNothingWrongIsLeft();
    } else {
      assertThat(copy.resolve("large")).doesNotExist();
    }
    finish(way);
  }

  /** All that has a final name is what the source has; nothing else is there. */
  private void assertNothingWrongIsLeft() {
    await("no unfinished file")
        .atMost(SECONDS)
        .untilAsserted(() -> assertThat(Lab.unfinishedFiles(copy.getParent())).isEmpty());
    Map<String, String> original = Tree.beneath(source);
    Map<String, String> left = Tree.beneath(copy);
    left.values().removeIf(entry -> entry.startsWith("d "));
    assertThat(left).doesNotContainKey("large");
    assertThat(original).containsAllEntriesOf(left);
  }

  /** Starts a transfer and waits until it is in the middle of the large file. */
  private RunningJar startSlowly(Way way) {
    RunningJar client = lab.start(lab.root(), words(way, "-limit", SLOW));
    Lab.awaitUnfinished(copy.getParent(), 1);
    assertThat(client.isAlive()).isTrue();
    return client;
  }

  /** The same transfer once more, at full speed: it completes whatever was left behind. */
  private void finish(Way way) {
    lab.run(lab.root(), words(way, "-P", "2")).expect(0);
    Tree.assertSame(copy, source);
  }

  private String[] words(Way way, String option, String value) {
    return way == Way.PULL
        ? Lab.clientOf(server, option, value, "-r", "-pull", "-d", "copies", "/sources/data")
        : Lab.clientOf(server, option, value, "-r", "-d", "/copies", "sources/data");
  }

  private RunningJar serveBoth() {
    return lab.serve("--export", "sources", "--export", "copies:rw");
  }
}
