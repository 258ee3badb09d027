package io.fdt.e2e.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.e2e.CommandProcess;
import io.fdt.e2e.Content;
import io.fdt.e2e.JsonLines;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Nobody;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** A dry run says what a run would do, in both directions, and changes nothing. */
class DryRunTest {
  @RegisterExtension private final Lab lab = new Lab();
  private Path source;
  private Path pushed;
  private Path pulled;
  private String address;

  @BeforeEach
  void serve() {
    source = lab.directory("source");
    Shell.run(source, "mkdir -p a/b; printf 1234 > a/b/c; printf 56 > d; ln -s d link");
    pushed = lab.directory("pushed");
    pulled = lab.directory("pulled");
    RunningCommand server = lab.serve("--export", source.toString(), "--export", pushed + ":rw");
    address = "fdt://127.0.0.1:" + server.port();
  }

  @Test
  void nothingChangesAndTheRunThatFollowsDoesWhatWasSaid() {
    for (Path place : List.of(pushed, pulled)) {
      Shell.run(place, "printf 56 > d; touch -r ../source/d d; mkdir a; printf old > a/x");
    }
    byte[] before = state();

    for (List<String> ends : bothWays("/")) {
      Outcome dry = copy(ends, "--dry-run").expect(0);
      assertThat(dry.out().lines())
          .containsExactly(
              "dry run: would copy 1 file (1 new), 4 B, make 1 directory and 1 link, change mode,"
                  + " owner or time of 2 entries, 1 unchanged by size and time",
              "would copy a/b/c (new, 4 B)");
      List<JsonNode> events = JsonLines.events(copy(ends, "--dry-run", "--json").expect(0));
      assertThat(JsonLines.outcomes(JsonLines.of(events, "file")))
          .hasSize(2)
          .allMatch(outcome -> outcome.matches("due .*a/b/c|unchanged .*d"));
      assertThat(state()).isEqualTo(before);

      Outcome real = copy(ends).expect(0);
      assertThat(real.summary())
          .startsWith("done: 1 file, 4 B ")
          .contains("1 unchanged by size and time");
      before = state();
    }
  }

  @Test
  void totalsComeFirstAndThenTheNamesInOrder() {
    Shell.run(source, "rm -r a d link; mkdir b a; touch b/1 a/2 c a/1 a.txt");
    Shell.run(pushed, "touch z y");
    Shell.run(pulled, "touch z y");

    for (List<String> ends : bothWays("/")) {
      Outcome dry = copy(ends, "-n", "--delete").expect(0);
      assertThat(dry.out().lines().map(line -> line.replaceFirst("(would delete ).*/", "$1")))
          .containsExactly(
              dry.summary(),
              "would copy a.txt (new, 0 B)",
              "would copy a/1 (new, 0 B)",
              "would copy a/2 (new, 0 B)",
              "would copy b/1 (new, 0 B)",
              "would copy c (new, 0 B)",
              "would delete y",
              "would delete z");
      Outcome real = copy(ends, "-v").expect(0);
      assertThat(real.out().lines())
          .containsExactlyInAnyOrder("a.txt", "a/1", "a/2", "b/1", "c", real.summary());
    }
  }

  @Test
  void newFilesAreToldFromChangedOnes() {
    Shell.run(source, "rm link; printf 78 > e");
    for (Path place : List.of(pushed, pulled)) {
      Shell.run(place, "printf changed > d");
    }
    for (List<String> ends : bothWays("/")) {
      assertThat(copy(ends, "-n").expect(0).out().lines())
          .first()
          .asString()
          .startsWith("dry run: would copy 3 files (2 new, 1 changed), 8 B");
      assertThat(copy(ends, "-n").out())
          .contains("a/b/c (new, 4 B)", "d (changed, 2 B)", "e (new, 2 B)");
      List<JsonNode> events = JsonLines.events(copy(ends, "-n", "--json").expect(0));
      assertThat(JsonLines.of(events, "file"))
          .allMatch(
              file -> file.get("new").asBoolean() != file.get("path").asString().endsWith("d"));
      assertThat(JsonLines.of(events, "summary").get(0).get("files_replaced").asLong()).isOne();
    }
  }

  @Test
  void whatWouldHaveToBeMadeIsNotMade() {
    byte[] before = state();

    for (List<String> ends : bothWays("/new/deep/")) {
      Outcome dry = copy(ends, "-n").expect(0);
      assertThat(dry.summary())
          .isEqualTo("dry run: would copy 2 files (2 new), 6 B, make 2 directories and 1 link");
    }
    assertThat(state()).isEqualTo(before);
  }

  @Test
  void linksAndEmptyDirectoriesCountAsChanges() {
    Shell.run(source, "rm -r a d; mkdir -p empty/deep");

    for (List<String> ends : bothWays("/")) {
      assertThat(copy(ends, "-n").expect(0).summary())
          .isEqualTo(
              "dry run: would copy 0 files, 0 B, make 2 directories and 1 link, change mode, owner"
                  + " or time of 1 entry");
      copy(ends).expect(0);
      assertThat(copy(ends, "-n").expect(0).summary())
          .isEqualTo("dry run: would copy 0 files, 0 B");
    }
    Shell.run(source, "ln -sfn elsewhere link");
    for (List<String> ends : bothWays("/")) {
      assertThat(copy(ends, "-n").expect(0).summary())
          .isEqualTo(
              "dry run: would copy 0 files, 0 B, make 1 link, change mode, owner or time of 1"
                  + " entry");
    }
  }

  /** Of a file, a directory and a link; the run that follows does it. */
  @Test
  void modesOwnersAndTimesThatDifferAreCounted() {
    for (List<String> ends : bothWays("/")) {
      copy(ends).expect(0);
    }
    byte[] before = state();
    Shell.run(source, "chmod 600 d; chmod 700 a/b; touch -h -d 2001-01-01 link; chmod 711 .");

    for (List<String> ends : bothWays("/")) {
      assertThat(copy(ends, "-n").expect(0).summary())
          .isEqualTo(
              "dry run: would copy 0 files, 0 B, change mode, owner or time of 4 entries, 2"
                  + " unchanged by size and time");
      assertThat(copy(ends, "-n", "--preserve", "none").expect(0).summary())
          .isEqualTo("dry run: would copy 0 files, 0 B, 2 unchanged by size and time");
      List<JsonNode> events = JsonLines.events(copy(ends, "-n", "--json").expect(0));
      assertThat(events.get(events.size() - 1).get("attributes_changed").asLong()).isEqualTo(4);
    }
    assertThat(state()).isEqualTo(before);

    for (List<String> ends : bothWays("/")) {
      assertThat(copy(ends).expect(0).summary())
          .as("the file and the link; directories get theirs each time")
          .matches(
              "done: 0 files, 0 B in .*, changed mode, owner or time of 2 entries, 2 unchanged by"
                  + " size and time");
      assertThat(copy(ends, "-n").expect(0).summary())
          .isEqualTo("dry run: would copy 0 files, 0 B, 2 unchanged by size and time");
    }
    Shell.run(source, "touch -d 2001-01-01 a/b/c");
    for (List<String> ends : bothWays("/")) {
      assertThat(copy(ends, "-n", "--sync", "checksum").expect(0).summary())
          .isEqualTo(
              "dry run: would copy 0 files, 0 B, change mode, owner or time of 1 entry, 2 unchanged"
                  + " by checksum");
      List<JsonNode> events =
          JsonLines.events(copy(ends, "--sync", "checksum", "--json").expect(0));
      assertThat(events.get(events.size() - 1).get("attributes_changed").asLong()).isEqualTo(1);
      assertThat(copy(ends).expect(0).summary()).doesNotContain("changed mode");
    }
  }

  @Test
  void ownersThatDifferAreCounted() {
    assumeTrue(Nobody.isRoot(), "not root");
    String[] kept = {"--preserve", "mode,times,owner"};
    List<String> pull = bothWays("/").get(0);
    copy(pull, kept).expect(0);
    Shell.run(source, "chown -h 1:1 d a/b link");

    assertThat(copy(pull, "-n").expect(0).summary()).doesNotContain("change mode");
    assertThat(copy(pull, "-n", kept[0], kept[1]).expect(0).summary())
        .isEqualTo(
            "dry run: would copy 0 files, 0 B, change mode, owner or time of 3 entries, 2 unchanged"
                + " by size and time");
    assertThat(copy(pull, kept).expect(0).summary())
        .contains("changed mode, owner or time of 2 entries, 2 unchanged by size and time");
    assertThat(copy(pull, "-n", kept[0], kept[1]).expect(0).summary())
        .isEqualTo("dry run: would copy 0 files, 0 B, 2 unchanged by size and time");
  }

  @Test
  void theRuleOfTheTrailingSlashIsTold() {
    for (String[] ends :
        new String[][] {
          {address + "/source", "pulled", "/source"}, {"source", address + "/pushed", "source"}
        }) {
      String destination = ends[1].replace(address, "");
      assertThat(lab.run(lab.root(), "copy", "-n", "-r", ends[0], ends[1]).expect(0).err())
          .contains(
              "'%s' arrives as '%s/source'; with a trailing slash, '%s/', its contents would arrive in '%s'"
                  .formatted(ends[2], destination, ends[2], destination));
      assertThat(lab.run(lab.root(), "copy", "-n", "-r", ends[0] + "/", ends[1]).expect(0).err())
          .contains(
              "the contents of '%s/' arrive in '%s'; without the trailing slash, '%s' would arrive as '%s/source'"
                  .formatted(ends[2], destination, ends[2], destination));
      assertThat(lab.run(lab.root(), "copy", "-n", ends[0] + "/d", ends[1]).expect(0).err())
          .doesNotContain("slash");
    }
  }

  @Test
  void whatIsInTheWayIsFound() {
    for (Path place : List.of(pushed, pulled)) {
      Shell.run(place, "printf x > a; mkdir d; printf x > file");
    }
    for (List<String> ends : bothWays("/")) {
      Outcome dry = copy(ends, "--dry-run").expect(1);
      assertThat(dry.summary())
          .isEqualTo(
              "dry run: would copy 0 files, 0 B, make 1 link, change mode, owner or time"
                  + " of 1 entry, 4 could not be transferred");
    }
    for (List<String> ends : bothWays("/file/x/")) {
      copy(ends, "--dry-run").expect(1);
    }
    Outcome readOnly =
        lab.run(lab.root(), "copy", "-r", "--dry-run", "pushed/", address + "/source/");
    readOnly.expect(4);
  }

  @Test
  void onlyTheRestOfAnUnfinishedFileWouldCome() {
    lab.leavesUnfinishedFiles();
    Content.write(source.resolve("large"), 16L << 20, 1);
    CommandProcess client =
        lab.startProcess(
            lab.root(), "copy", "-r", "-limit", "16Mbit/s", address + "/source/", "pulled/");
    Lab.awaitUnfinished(pulled, 4);
    client.signal("INT");
    client.end().expect(130);

    List<JsonNode> events =
        JsonLines.events(copy(bothWays("/").get(0), "--dry-run", "--json").expect(0));

    JsonNode summary = events.get(events.size() - 1);
    assertThat(summary.get("bytes_kept").asLong()).isGreaterThanOrEqualTo(3L << 20);
    assertThat(summary.get("bytes_kept").asLong() + summary.get("bytes_due").asLong())
        .isGreaterThanOrEqualTo(16L << 20);
  }

  @Test
  void itIsForClientsThatCopy() {
    for (List<String> wrong :
        List.of(
            List.of("--dry-run"),
            List.of("-c", "h", "-ls", "/", "--dry-run"),
            List.of("-c", "h", "-nettest", "--report", "x"),
            List.of("nettest", "--dry-run", "h"),
            List.of("copy", "--quiet", "-v", "a", "h:b"))) {
      lab.run(lab.root(), wrong.toArray(String[]::new)).expect(2);
    }
  }

  private List<List<String>> bothWays(String beneath) {
    return List.of(
        List.of(address + "/source/", "pulled" + beneath),
        List.of("source/", address + "/pushed" + beneath));
  }

  private Outcome copy(List<String> ends, String... options) {
    List<String> words = new ArrayList<>(List.of("copy", "-r"));
    words.addAll(List.of(options));
    words.addAll(ends);
    return lab.run(lab.root(), words.toArray(String[]::new));
  }

  /** Names, kinds, sizes, modes and all times but those of reading, of both destinations. */
  private byte[] state() {
    byte[] state =
        Shell.run(lab.root(), "find pushed pulled -printf '%p %y %s %m %T@ %C@ %l\\n' | sort");
    assertThat(new String(state, StandardCharsets.UTF_8)).startsWith("pulled");
    return state;
  }
}
