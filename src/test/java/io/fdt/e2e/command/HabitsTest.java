package io.fdt.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.Content;
import io.fdt.e2e.FaultyNetwork;
import io.fdt.e2e.JsonLines;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What users of rsync, scp, rclone and Globus type in their first hour. */
class HabitsTest {
  @RegisterExtension private final Lab lab = new Lab();
  private Path source;
  private Path in;
  private RunningCommand server;

  @BeforeEach
  void makeTree() {
    source = lab.directory("source");
    Shell.run(
        source,
        "mkdir -p d/e; printf 1 > a.c; printf 2 > a.o; printf 3 > d/e/f; ln -s a.c link; chmod 640"
            + " a.c; touch -d '2001-02-03' a.c d");
    in = lab.directory("in");
    server = lab.serve("--export", in + ":rw", "--export", source.toString());
  }

  @Test
  void rsyncDashAvzpDeleteMirrorsATreeInBothDirections() {
    copy("-avzP --delete SOURCE/ HOST/in/").expect(0);
    Tree.assertSame(in, source);
    Shell.run(source, "rm -r d; printf more >> a.c");

    copy("-avzP --delete SOURCE/ HOST/in/").expect(0);
    copy("-aHAX --delete --numeric-ids HOST/source/ back/").expect(0);

    Tree.assertSame(in, source);
    Tree.assertSame(lab.root().resolve("back"), source);
  }

  @Test
  void excludeFromTakesRsyncsFilesOfPatterns() {
    Shell.run(lab.root(), "printf '# objects\\n+ d/e/f\\n*.o\\n/d/e/*\\n' > patterns");

    copy("-a --exclude-from patterns SOURCE/ HOST/in/").expect(0);

    assertThat(Tree.beneath(in)).containsOnlyKeys("a.c", "link", "d", "d/e", "d/e/f");
  }

  @Test
  void filterFromTakesRclonesRules() {
    Shell.run(lab.root(), "printf '; objects\\n+ a.o\\n- *.o\\n- /d\\n' > rules; echo x > bare");
    Shell.run(source, "touch b.o");

    copy("-a --filter-from rules SOURCE/ HOST/in/").expect(0);
    Outcome bare = copy("-a --filter-from bare SOURCE/ HOST/in/").expect(2);

    assertThat(Tree.beneath(in)).containsOnlyKeys("a.c", "a.o", "link");
    assertThat(bare.err()).contains("--filter-from bare line 1: 'x': write '+ PATTERN'");
  }

  @Test
  void aTildeIsTheHomeThatAServerExports() {
    RunningCommand home = lab.serve("~=" + in + ":rw");
    String port = Integer.toString(home.port());

    copy("-r -p " + port + " SOURCE/ 127.0.0.1:~/new").expect(0);
    copy("-r -p " + port + " 127.0.0.1:~/new/d got").expect(0);

    Tree.assertSame(in.resolve("new"), source);
    Tree.assertSame(lab.root().resolve("got/d"), source.resolve("d"));
    lab.run(lab.root(), "ls", "-p", port, "127.0.0.1:~").expect(0);
    Outcome none = lab.run(lab.root(), "ls", "-p", "" + server.port(), "127.0.0.1:~/new");
    assertThat(none.expect(1).err()).contains("'/~/' is in no export");
    assertThat(lab.run(lab.root(), "ls", "127.0.0.1:~bob").expect(2).err())
        .contains("a server knows no homes of users");
  }

  @Test
  void dashNChangesNothingAndDashUKeepsWhatIsNewer() {
    copy("-avn SOURCE/ HOST/in/").expect(0);
    assertThat(Tree.beneath(in)).isEmpty();
    Shell.run(in, "printf newer > a.c; touch -d '2030-01-01' a.c");

    copy("-au SOURCE/ HOST/in/").expect(0);

    assertThat(in.resolve("a.c")).hasContent("newer");
  }

  @Test
  void whatIsAnotherThingHereIsRefusedWithTheRightName() {
    Outcome outcome = copy("-P SOURCE HOST/in/").expect(2);

    assertThat(outcome.problems())
        .singleElement()
        .asString()
        .startsWith("fdt: copy: -P is the number of streams");
  }

  /** As ssh does: a home that cannot be written to is no reason not to go on. */
  @Test
  void aKeyThatCannotBeRememberedIsTrustedForThisCommand() {
    Shell.run(in, "printf 1 > file");
    Path nowhere = Path.of("/proc/fdt"); // where root cannot make anything either
    String token = lab.home().resolve("token").toString();
    String from = "fdt://127.0.0.1:" + server.port() + "/in/file";

    Outcome outcome =
        lab.runAt(nowhere, lab.root(), "copy", "--accept-new", "--token-file", token, from, "got")
            .expect(0);

    assertThat(lab.root().resolve("got")).hasContent("1");
    assertThat(outcome.err())
        .containsOnlyOnce("the key of 127.0.0.1:" + server.port() + " is not remembered: cannot ")
        .contains("choose another place with FDT_HOME");
    lab.runAt(nowhere, lab.root(), "copy", "--token-file", token, from, "again").expect(4);
  }

  @ParameterizedTest
  @ValueSource(strings = {"bash", "zsh", "fish"})
  void shellsCompleteTheValuesOfCompressAndPreserve(String shell) {
    assertThat(lab.run(lab.root(), "completion", shell).expect(0).out())
        .contains("auto off zstd lz4 deflate", "all none mode times ");
  }

  @Test
  void remoteWildcardsAreExpandedByTheServer() {
    Shell.run(source, "printf 4 > '*.h'; printf 5 > x.h; printf 6 > .a.c; printf 7 > d/g.c");

    copy("HOST/source/*.[co] HOST/source/d/*/f one/").expect(0);
    copy("-r HOST/source/d?/ HOST/source/**/f HOST/source/**/g.c two/").expect(1);
    copy("HOST/source/*.h three/").expect(0);
    copy("--port " + server.port() + " 127.0.0.1::source/?.c 127.0.0.1:s*/.a* four/").expect(0);
    lab.run(lab.root(), Lab.clientOf(server, "-pull", "-d", "five", "/source/**")).expect(0);
    Outcome none = copy("HOST/source/*.zip six").expect(1);
    Outcome json = copy("--json HOST/source/*.zip six").expect(1);
    Outcome home = copy("127.0.0.1:~bob/x .").expect(2);

    assertThat(Tree.beneath(lab.root().resolve("one"))).containsOnlyKeys("a.c", "a.o", "f");
    assertThat(lab.root().resolve("two")).doesNotExist();
    assertThat(Tree.beneath(lab.root().resolve("three"))).containsOnlyKeys("*.h");
    assertThat(Tree.beneath(lab.root().resolve("four"))).containsOnlyKeys("a.c", ".a.c");
    assertThat(Tree.beneath(lab.root().resolve("five")))
        .containsOnlyKeys("a.c", "a.o", "link", "f", "g.c", "*.h", "x.h");
    assertThat(none.problems())
        .singleElement()
        .asString()
        .contains("'/source/*.zip': nothing that the server shows you matches");
    JsonLines.events(json);
    assertThat(home.err()).contains("a server knows no homes of users");
  }

  @Test
  void filesOfAServerTakeWildcardsToo() {
    copy("-a SOURCE/ HOST/in/").expect(0);
    String host = "fdt://127.0.0.1:" + server.port();

    Outcome sums = lab.run(lab.root(), "checksum", host + "/in/**/*.?").expect(0);
    Outcome listed = lab.run(lab.root(), "ls", host + "/in/[ad]*").expect(0);
    lab.run(lab.root(), "rm", host + "/in/*.o", host + "/in/d/*/f").expect(0);

    assertThat(sums.out()).matches(".{8}  a[.]c\n.{8}  a[.]o\n");
    assertThat(listed.out()).isEqualTo("/in/a.c\n/in/a.o\n/in/d/\n");
    assertThat(Tree.beneath(in)).containsOnlyKeys("a.c", "link", "d", "d/e");
  }

  @Test
  void checksumChecksListsOfSha256sumHereAndOnAServer() {
    Shell.run(
        source,
        "printf 8 > $'new\\nline'; find . -type f -print0 | xargs -0 sha256sum > ../SUMS;"
            + " sha256sum --tag a.c > ../TAGGED");
    copy("-a SOURCE/ HOST/in/").expect(0);
    String remote = "fdt://127.0.0.1:" + server.port() + "/in";

    Outcome here = lab.run(lab.root(), "checksum", "--check", "SUMS", "source").expect(0);
    Outcome there = lab.run(lab.root(), "checksum", "--check", "SUMS", remote).expect(0);
    lab.run(source, "checksum", "--check", "../TAGGED").expect(0);
    lab.runWords(lab.root(), "checksum --check - source < TAGGED").expect(0);
    Shell.run(in, "printf 9 > a.o; rm d/e/f");
    Outcome damaged = lab.run(lab.root(), "checksum", "--check", "SUMS", remote);
    Outcome json = lab.run(lab.root(), "checksum", "--json", "--check", "SUMS", remote);
    Outcome crc =
        lab.run(lab.root(), "checksum", "--checksum", "crc32c", "--check", "SUMS").expect(2);

    assertThat(here.out().lines()).hasSize(4).allMatch(line -> line.endsWith(": OK"));
    assertThat(there.out()).isEqualTo(here.out()).contains("./a.o: OK");
    assertThat(there.err()).contains("4 of 4 files are as the list says");
    assertThat(damaged.status()).isIn(1, 5);
    assertThat(damaged.problems()).hasSize(2).anyMatch(line -> line.contains("a.o: its digest is"));
    assertThat(damaged.err()).contains("2 of 4 files are as the list says");
    assertThat(JsonLines.of(JsonLines.lines(JsonLines.FILES, json), "problem")).hasSize(2);
    assertThat(crc.err()).contains("line 1: a digest of 64 digits where there should be 8");
  }

  @Test
  void aFailedCopyLeavesNoDirectoryThatWasNotThere() {
    String[] lines = {
      "HOST/source/typo new",
      "-r HOST/source/typo new/",
      "HOST/source/d new",
      "HOST/source/typo HOST/source/typo2 new",
      "SOURCE/typo HOST/in/new",
      "SOURCE/d HOST/in/new/",
      "SOURCE/typo SOURCE/typo2 HOST/in/new/er",
    };
    for (String line : lines) {
      copy(line).expect(1);
      assertThat(lab.root().resolve("new")).as(line).doesNotExist();
      assertThat(Tree.beneath(in)).as(line).isEmpty();
    }
  }

  @Test
  void syncMakesTheDestinationTheSameAndADryRunTellsOfIt() {
    Shell.run(in, "mkdir old; printf x > old/x; printf y > a.c");
    String to = "fdt://127.0.0.1:" + server.port() + "/in/";

    Outcome dry = lab.run(lab.root(), "sync", "-n", source + "/", to).expect(0);
    assertThat(in.resolve("old/x")).exists();
    lab.run(lab.root(), "sync", "-av", "--delete", source + "/", to).expect(0);

    assertThat(dry.out()).contains("old");
    Tree.assertSame(in, source);
    assertThat(lab.run(lab.root(), "sync", "a", "b", to).expect(2).err())
        .contains("sync: one source and a destination are needed");
  }

  @Test
  void serveTakesABareDirectoryWhichIsReadOnly() {
    RunningCommand bare = lab.serve(source.toString(), "w=" + in + ":rw");
    String host = "fdt://127.0.0.1:" + bare.port();

    lab.run(lab.root(), "copy", "-r", host + "/source/", "got").expect(0);
    Outcome refused = lab.run(lab.root(), "copy", "got/a.c", host + "/source/new");
    lab.run(lab.root(), "copy", "got/a.c", host + "/w/new").expect(0);

    Tree.assertSame(lab.root().resolve("got"), source);
    assertThat(refused.expect(4).err()).contains("read-only");
    assertThat(in.resolve("new")).hasContent("1");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aLogThatGrowsIsCopiedOrSkipped(boolean push) throws IOException {
    // More than a sender reads ahead of what has passed: 32 MiB, and what a connection takes.
    Content.write(source.resolve("log"), 56 << 20, 7);
    Shell.run(source, "cp log ../first");
    Path back = lab.directory("back");

    for (String rule : List.of("copy", "skip")) {
      String way = push ? "SOURCE/ HOST/in/" + rule + "/" : "HOST/source/ " + rule + "/";
      Path at = (push ? in : back).resolve(rule);
      FaultyNetwork.Gate gate = new FaultyNetwork.Gate(4 << 20);
      Outcome outcome;
      try (FaultyNetwork network = new FaultyNetwork(server.port(), gate)) {
        String words = "-r -P 1 --changing " + rule + " " + way;
        RunningCommand run = lab.start(back, line(words, network.port()));
        gate.awaitHold();
        Shell.run(source, "printf more >> log");
        gate.open();
        outcome = run.end().expect(0);
      }

      assertThat(at.resolve("d/e/f")).as(rule).hasContent("3");
      if (rule.equals("copy")) {
        Content.assertSame(at.resolve("log"), lab.root().resolve("first"));
        assertThat(outcome.err())
            .containsPattern("log' changed while it was copied: its size went .* first 58720256");
      } else {
        assertThat(at.resolve("log")).as(rule).doesNotExist();
        assertThat(outcome.err())
            .containsPattern("skipped .*log' changed during the transfer: its size");
        assertThat(outcome.summary()).contains(", 1 skipped");
      }
      Shell.run(source, "truncate -s 56M log");
    }
  }

  private Outcome copy(String words) {
    return lab.run(lab.root(), line(words));
  }

  private String[] line(String words) {
    return line(words, server.port());
  }

  private String[] line(String words, int port) {
    List<String> line = new ArrayList<>(List.of("copy"));
    line.addAll(
        Arrays.asList(
            words
                .replace("SOURCE", source.toString())
                .replace("HOST", "fdt://127.0.0.1:" + port)
                .split(" ")));
    return line.toArray(String[]::new);
  }
}
