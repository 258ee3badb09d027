package io.fdt.e2e.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.core.storage.FaultyMount;
import io.fdt.core.storage.FaultyMount.Call;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * File systems that keep less than they are given, answer late, or not at all: a second run moves
 * nothing, or a file fails by name.
 */
class HalfTruthsTest {
  private static final Map<String, Consumer<FaultyMount>> BEHAVIOURS =
      Map.of(
          "times of 1 us", mount -> mount.coarseTimes(Duration.ofNanos(1000)),
          "times of 10 ms", mount -> mount.coarseTimes(Duration.ofMillis(10)),
          "times of 1 s", mount -> mount.coarseTimes(Duration.ofSeconds(1)),
          "times of 2 s", mount -> mount.coarseTimes(Duration.ofSeconds(2)),
          "times that are rounded while closed",
              mount -> mount.roundWhileClosed(Duration.ofSeconds(1)),
          "times until 2038", mount -> mount.clampTimes(0, Integer.MAX_VALUE),
          "folded names", FaultyMount::foldNames,
          "composed names", FaultyMount::composeNames,
          "other inodes at each look", FaultyMount::changeInodes,
          "one inode for all files", FaultyMount::equalInodes);

  /** Digests of all files, whatever their names are. */
  private static final String CONTENTS = "find . -type f -exec md5sum {} + | cut -c 1-32 | sort";

  @RegisterExtension final Lab lab = new Lab();

  private FaultyMount mount;
  private RunningCommand server;
  private RunningCommand other;

  @BeforeEach
  void mount() {
    Shell.run(
        lab.root(),
        """
        mkdir to plain plain/d; cd plain; printf 1 >One; printf 2 >d/two
        printf 3 >d/$'e\\xcc\\x81'; printf 4 >d/$'\\xff'; ln One d/hard; ln -s One link
        head -c 5000000 /dev/zero >large
        find . -exec touch -h -d '2020-02-03 04:05:07.123456789' {} +
        touch -d '2040-02-03 04:05:06.5' d/two; mkdir -p ../backing/to; cp -a . ../backing/from
        cd ../backing/from; mv d/$'e\\xcc\\x81' d/$'\\xc3\\xa9'; touch -d '2020-02-03 04:05:07.123456789' d
        """);
    mount = FaultyMount.over(lab.root().resolve("backing"));
    serve();
  }

  private void serve() {
    String[] exports = {
      "--export",
      "mount=" + mount.path() + ":rw",
      "--export",
      lab.root().resolve("to") + ":rw",
      "--export",
      lab.root().resolve("plain").toString()
    };
    server = lab.serve(exports);
    other = lab.serve(exports);
  }

  @AfterEach
  void unmount() {
    server.stop();
    other.stop();
    mount.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "times of 1 us",
        "times of 10 ms",
        "times of 1 s",
        "times of 2 s",
        "times that are rounded while closed",
        "times until 2038",
        "folded names",
        "composed names"
      })
  void aSecondRunToSuchAFileSystemMovesNothing(String behaviour) {
    movesNothing(behaviour);
  }

  @Test
  void aSecondRunToAFileSystemWithOneInodeMovesNothing() {
    movesNothing("one inode for all files");
  }

  private void movesNothing(String behaviour) {
    BEHAVIOURS.get(behaviour).accept(mount);
    String expected = contents("plain");
    for (String way : List.of("push", "pull", "between")) {
      Shell.run(lab.root(), "rm -rf backing/to; mkdir backing/to");
      check(expected, "backing/to", copy(way, "/plain/", "/mount/to/"));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "times of 2 s",
        "times that are rounded while closed",
        "folded names",
        "composed names",
        "other inodes at each look",
        "one inode for all files"
      })
  void aSecondRunFromSuchAFileSystemMovesNothingOrAFileFailsByName(String behaviour) {
    BEHAVIOURS.get(behaviour).accept(mount);
    String expected = contents("plain");
    for (String way : List.of("push", "pull", "between")) {
      Shell.run(lab.root(), "rm -rf to/*");
      check(expected, "to", copy(way, "/mount/from/", "/to/"));
    }
  }

  @Test
  void aDestinationWhoseInodesChangeIsNamedAndKeepsNothing() {
    mount.changeInodes();
    for (String way : List.of("push", "pull", "between")) {
      Outcome outcome = lab.run(lab.root(), copy(way, "/plain/", "/mount/to/"));

      assertThat(outcome.expect(1).problems())
          .anyMatch(line -> line.contains("large' changes the inode numbers"))
          .noneMatch(line -> line.contains("another transfer"));
      assertThat(
              new String(Shell.run(lab.root(), "find backing/to -type f"), StandardCharsets.UTF_8))
          .isEmpty();
    }
  }

  private void check(String expected, String copied, String... copy) {
    Outcome first = lab.run(lab.root(), copy);
    Outcome second = lab.run(lab.root(), copy);

    assertThat(second.summary()).as("%s", second).contains("0 files, 0 B");
    if (second.status() == 0) {
      assertThat(contents(copied)).isEqualTo(expected);
      assertThat(second.err()).isEmpty();
    } else {
      assertThat(first.problems())
          .as("%s", first)
          .isNotEmpty()
          .allMatch(line -> line.contains("'"));
      assertThat(expected.lines()).containsAll(contents(copied).lines().toList());
    }
  }

  private String contents(String directory) {
    return new String(
        Shell.run(lab.root().resolve(directory), CONTENTS), StandardCharsets.US_ASCII);
  }

  @Test
  void aDirectoryThatHangsIsReportedAndGoesOnWhenItAnswers() {
    FaultyMount.Rule rule = mount.hang(Call.OPENDIR, "from/d");

    RunningCommand copy = lab.start(lab.root(), copy("pull", "/mount/from/", "/to/"));
    await().atMost(Duration.ofSeconds(20)).until(() -> rule.hits() > 0);
    await().atMost(Duration.ofSeconds(30)).until(() -> copy.err().contains("no data for "));
    rule.remove();

    copy.end().expect(0);
    Tree.assertSame(lab.root().resolve("to"), lab.root().resolve("backing/from"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"push", "pull", "between"})
  void aFileSystemThatDiesFailsByNameInWords(String way) {
    FaultyMount.Rule rule = mount.hang(Call.OPENDIR, "from/d");

    RunningCommand copy = lab.start(lab.root(), copy(way, "/mount/from/", "/to/"));
    await().atMost(Duration.ofSeconds(20)).until(() -> rule.hits() > 0);
    mount.die();

    assertThat(copy.end().expect(1).problems())
        .anyMatch(line -> line.contains("/from/d': the file system mounted there is dead"))
        .noneMatch(line -> line.contains("system error"));
    mount.remount();
    server.stop();
    other.stop();
    serve();
    lab.run(lab.root(), copy(way, "/mount/from/", "/to/")).expect(0);
    Tree.assertSame(lab.root().resolve("to"), lab.root().resolve("backing/from"));
  }

  private String[] copy(String way, String from, String to) {
    return new String[] {
      "copy",
      "-r",
      "--hard-links",
      way.equals("push") ? local(from) : at(server, from),
      way.equals("pull") ? local(to) : at(other, to)
    };
  }

  private String local(String path) {
    return path.startsWith("/mount/")
        ? mount.path() + path.substring("/mount".length())
        : lab.root() + path;
  }

  private static String at(RunningCommand server, String path) {
    return "fdt://127.0.0.1:" + server.port() + path;
  }
}
