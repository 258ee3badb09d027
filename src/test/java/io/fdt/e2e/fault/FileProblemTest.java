package io.fdt.e2e.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.e2e.Content;
import io.fdt.e2e.FaultyNetwork;
import io.fdt.e2e.JsonLines;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Nobody;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What cannot be transferred is named, never arrives wrong, and keeps nothing else from arriving.
 */
class FileProblemTest {
  private static final int MIB = 1 << 20;

  /** More than a sender reads ahead of what has passed: 32 MiB, and what a connection takes. */
  private static final int LARGE = 56 * MIB;

  private static final int PASSES = 8 * MIB;

  @RegisterExtension final Lab lab = new Lab();

  @Test
  void missingSourcesAreNamedAndOthersArrive() {
    makeData();
    RunningCommand server = lab.serve("--export", "data:rw");

    Outcome pull = client(server, "here", "/data/none", "/data/a", "/data/b/nothing/x").expect(1);
    Outcome push = client(server, "data", "-d", "/data/in", "gone", "a").expect(1);

    assertThat(pull.problems()).hasSize(2);
    assertThat(pull.err()).contains("/data/none", "/data/b/nothing");
    assertThat(pull.summary()).startsWith("ended with problems: 1 file, ").contains("2 problems");
    assertThat(lab.root().resolve("here")).isDirectoryContaining("glob:**/a");
    assertThat(push.problems()).singleElement().asString().contains("gone");
    Content.assertSame(lab.root().resolve("data/in/a"), lab.root().resolve("data/a"));
  }

  @Test
  void whenEverySourceIsMissingTheStatusIsOne() {
    makeData();
    RunningCommand server = lab.serve("--export", "data");

    Outcome outcome = client(server, "here", "/data/none").expect(1);

    assertThat(outcome.problems()).singleElement().asString().contains("/data/none");
    assertThat(outcome.elapsed()).isLessThan(java.time.Duration.ofSeconds(20));
  }

  /** One that was left behind would change what the corrected command means. */
  @ParameterizedTest
  @ValueSource(strings = {"typo", "b"})
  void whenNoSourceCanBeCopiedNoDestinationIsMade(String source) {
    makeData();
    Path in = lab.directory("in");
    RunningCommand server = lab.serve("--export", "data", "--export", "in:rw");
    String address = "fdt://127.0.0.1:" + server.port();

    Outcome push = lab.run(lab.root(), "copy", "data/" + source, address + "/in/copy").expect(1);
    Outcome pull = lab.run(in, "copy", address + "/data/" + source, "copy").expect(1);

    assertThat(push.problems()).singleElement().asString().contains("data/" + source);
    assertThat(pull.problems()).singleElement().asString().contains("data/" + source);
    assertThat(in).isEmptyDirectory();
  }

  @Test
  void unreadableSourcesAreNamedAndOthersArrive() {
    makeData();
    Shell.run(
        lab.root(), "mkdir data/locked; printf x > data/locked/x; chmod 0 data/a data/locked");
    Path incoming = lab.directory("in");
    RunningCommand server = lab.serve("--export", "in:rw");

    Outcome push =
        lab.runAsNobody(
                lab.root(), "-c", "127.0.0.1", "-p", port(server), "-r", "-d", "/in", "data")
            .expect(1);

    assertThat(push.problems()).hasSize(2);
    assertThat(push.err()).contains("data/a'", "data/locked'", "ermission");
    assertThat(Tree.beneath(incoming))
        .containsKeys("data/b/c", "data/d")
        .doesNotContainKey("data/a");
  }

  @Test
  void unwritableDestinationIsNamed() throws IOException {
    makeData();
    RunningCommand server = lab.serve("--export", "data");
    Path locked = lab.directory("locked");
    Files.setPosixFilePermissions(locked, PosixFilePermissions.fromString("r-xr-xr-x"));

    Outcome pull =
        lab.runAsNobody(locked, "-c", "127.0.0.1", "-p", port(server), "-r", "/data").expect(1);

    assertThat(pull.problems()).isNotEmpty();
    assertThat(pull.problems().get(0)).contains("ermission");
    assertThat(Tree.beneath(locked)).isEmpty();
  }

  /** Only its owner could let it in for a while. */
  @Test
  void aDirectoryThatCannotBeReadCannotBeForced() {
    assumeTrue(Nobody.isRoot(), "it has to be of another user");
    makeData();
    Shell.run(lab.directory("drop"), "chmod 733 .");
    String from = "fdt://127.0.0.1:" + port(lab.serve("--export", "data")) + "/data/d";

    Outcome forced = lab.runAsNobody(lab.root(), "copy", "--fsync", from, "drop/").expect(1);

    assertThat(forced.problems())
        .isNotEmpty()
        .allMatch(line -> line.contains("sync the directory 'drop/': permission denied"));
  }

  /** The destination of everything is a file; or a directory on the way to it is. */
  @ParameterizedTest
  @ValueSource(strings = {"file", "file/below", "file/"})
  void destinationThatIsAFileIsNamedAndKept(String destination) {
    makeData();
    Shell.run(lab.root(), "printf precious > file; printf precious > data/file");
    RunningCommand server = lab.serve("--export", "data:rw");

    Outcome pull = client(server, ".", "-r", "-pull", "-d", destination, "/data/b", "/data/d");
    Outcome push = client(server, ".", "-r", "-d", "/data/" + destination, "data/b", "data/d");

    for (Outcome outcome : new Outcome[] {pull, push}) {
      outcome.expect(1);
      assertThat(outcome.problems()).isNotEmpty().first().asString().contains("file");
    }
    assertThat(lab.root().resolve("file")).hasContent("precious");
    assertThat(lab.root().resolve("data/file")).hasContent("precious");
  }

  @Test
  void whatStandsInTheWayIsNamedAndKeptAndTheRestArrives() {
    makeData();
    Shell.run(
        lab.directory("here"), "mkdir -p data/a; printf keep > data/a/keep; printf keep > data/b");
    RunningCommand server = lab.serve("--export", "data");

    Outcome outcome = client(server, "here", "-r", "/data").expect(1);

    Path here = lab.root().resolve("here/data");
    assertThat(here.resolve("a/keep")).hasContent("keep");
    assertThat(here.resolve("b")).hasContent("keep");
    Content.assertSame(here.resolve("d"), lab.root().resolve("data/d"));
    assertThat(outcome.err()).contains("data/a").contains("data/b");
    assertThat(outcome.err())
        .containsPattern(
            "data/b/c: its directory '.*data/b' could not be made; see the error above")
        .containsOnlyOnce("data/b/c");
    assertThat(outcome.summary()).startsWith("ended with problems: 1 of 3 files, ");
  }

  /** A person reads the reason once, with a count; a report has every name. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aDirectoryThatNobodyMayWriteToIsToldOnceWithTheCountOfWhatIsBeneath(boolean isThere) {
    Shell.run(lab.directory("data"), "mkdir -p d/e; touch d/1 d/2 d/3 d/4 d/e/5 d/e/6");
    Shell.run(lab.directory("open"), "mkdir -p here/data" + (isThere ? "/d" : ""));
    Shell.run(lab.directory("open"), "chmod 777 . here; chmod 555 here/data here/data/d || true");
    RunningCommand server = lab.serve("--export", "data");
    Path open = lab.root().resolve("open");

    String from = "fdt://127.0.0.1:" + port(server) + "/data";
    Outcome outcome = lab.runAsNobody(open, "copy", "-r", from, "here/").expect(1);

    String reason =
        isThere
            ? "cannot create files in 'here/data/d': permission denied"
            : "its directory 'here/data/d' could not be made";
    assertThat(outcome.problems())
        .filteredOn(line -> line.contains(reason))
        .hasSize(2)
        .first()
        .asString()
        .contains("here/data/d/");
    assertThat(outcome.problems())
        .filteredOn(line -> line.contains(reason))
        .last()
        .asString()
        .matches("fdt: [36] more for the same reason: .*");
    Outcome events = lab.runAsNobody(open, "copy", "-r", "--json", from, "here/").expect(1);
    assertThat(JsonLines.of(JsonLines.events(events), "file"))
        .filteredOn(event -> event.get("message").asString().contains(reason))
        .hasSizeGreaterThan(3);
  }

  /**
   * What happens to a source while its blocks are read; the other end must not get a mixture under
   * its final name.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "truncate -s 3M data/large",
        "head -c 1000000 /dev/urandom >> data/large",
        "rm data/large",
        "printf changed | dd of=data/large bs=1 seek=20000000 conv=notrunc status=none",
        "cp data/a data/new; mv data/new data/large",
      })
  void aSourceThatChangesWhileItIsReadIsNamedAndTheRestArrives(String change) throws IOException {
    makeData();
    Content.write(lab.root().resolve("data/large"), LARGE, 7);
    Shell.run(lab.root(), "cp -a data/large original");
    RunningCommand server = lab.serve("--export", "data:rw");
    Path here = lab.directory("here");
    FaultyNetwork.Gate gate = new FaultyNetwork.Gate(PASSES);
    Outcome outcome;
    try (FaultyNetwork network = new FaultyNetwork(server.port(), gate)) {
      String port = Integer.toString(network.port());
      RunningCommand pull =
          lab.start(here, "-c", "127.0.0.1", "-p", port, "-P", "1", "-r", "/data");
      gate.awaitHold();

      Shell.run(lab.root(), change);
      gate.open();

      outcome = pull.end();
    }
    Path copy = here.resolve("data/large");
    if (change.startsWith("rm") || change.contains("mv")) {
      // It is open already: a system that keeps what is open may well finish it, as it was.
      assertThat(outcome.status()).isIn(0, 1);
      if (Files.exists(copy)) {
        Content.assertSame(copy, lab.root().resolve("original"));
      } else {
        assertThat(outcome.status()).isEqualTo(1);
      }
    } else {
      outcome.expect(1);
      assertThat(copy).doesNotExist();
    }
    if (outcome.status() == 1) {
      assertThat(outcome.problems()).singleElement().asString().contains("/data/large");
    }
    Content.assertSame(here.resolve("data/b/c"), lab.root().resolve("data/b/c"));
  }

  /** A large tree loses files between the listing and the reading of them. */
  @Test
  void aPushOfAFileThatVanishesNamesItAndEnds() throws IOException {
    makeData();
    Content.write(lab.root().resolve("data/large"), LARGE, 7);
    RunningCommand server = lab.serve("--export", lab.directory("in") + ":rw");
    FaultyNetwork.Gate gate = new FaultyNetwork.Gate(PASSES);
    Outcome outcome;
    try (FaultyNetwork network = new FaultyNetwork(server.port(), gate)) {
      String[] words = {
        "-c", "127.0.0.1", "-p", "" + network.port(), "-P", "1", "-r", "-d", "/in", "data"
      };
      RunningCommand push = lab.start(lab.root(), words);
      gate.awaitHold();

      Shell.run(lab.root(), "truncate -s 0 data/large");
      gate.open();

      outcome = push.end().expect(1);
    }
    assertThat(outcome.problems()).singleElement().asString().contains("data/large");
    assertThat(lab.root().resolve("in/data/large")).doesNotExist();
    Content.assertSame(lab.root().resolve("in/data/a"), lab.root().resolve("data/a"));
  }

  /** The files data/a, data/b/c and data/d. */
  private void makeData() {
    Content.write(lab.root().resolve("data/a"), 1000, 1);
    Content.write(lab.root().resolve("data/b/c"), 3 * MIB + 5, 2);
    Content.write(lab.root().resolve("data/d"), 700_000, 3);
  }

  private Outcome client(RunningCommand server, String directory, String... words) {
    return lab.run(lab.directory(directory), Lab.clientOf(server, words));
  }

  private static String port(RunningCommand server) {
    return Integer.toString(server.port());
  }
}
