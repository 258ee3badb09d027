package io.fdt.e2e.copy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.JsonLines;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** A file that replaces another version of itself: only the changed pages are sent. */
class DeltaCopyTest {
  private static final long SIZE = 6_000_000;
  private static final int PAGE = 4096;

  @RegisterExtension private final Lab lab = new Lab();
  private Path source;
  private Path there;
  private String address;

  @BeforeEach
  void serve() {
    source = lab.directory("source");
    there = lab.directory("there");
    Shell.run(
        source,
        "head -c 6000000 /dev/urandom > image; cp image ../there; touch -d @1000000 ../there/image;"
            + " for at in 5 2000000 2000005 5999999; do"
            + " printf changed | dd of=image bs=1 seek=$at conv=notrunc status=none; done;"
            + " truncate -s 6000000 image");
    RunningCommand server = lab.serve("--export", source.toString(), "--export", there + ":rw");
    address = "fdt://127.0.0.1:" + server.port();
  }

  private JsonNode copy(String from, String to, String... options) {
    List<String> words = new ArrayList<>(List.of("copy", "--json", "--delta", "always"));
    words.addAll(List.of(options));
    words.addAll(List.of(from, to));
    Outcome outcome = lab.run(lab.root(), words.toArray(String[]::new)).expect(0);
    return JsonLines.of(JsonLines.events(outcome), "summary").get(0);
  }

  private void assertSent(JsonNode summary, long bytes) throws Exception {
    assertThat(summary.get("bytes").asLong()).isEqualTo(bytes);
    assertThat(summary.get("bytes_matched").asLong()).isEqualTo(SIZE - bytes);
    assertThat(Files.mismatch(source.resolve("image"), there.resolve("image"))).isEqualTo(-1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"-P 4", "--encrypt --compress zstd", "--backup-dir old", "--no-sparse"})
  void aPushSendsTheChangedPages(String options) throws Exception {
    byte[] before = Files.readAllBytes(there.resolve("image"));

    JsonNode summary = copy("source/image", address + "/there/", options.split(" "));

    assertSent(summary, 2 * PAGE + SIZE % PAGE);
    if (options.contains("backup")) {
      assertThat(there.resolve("old/image")).hasBinaryContent(before);
    }
  }

  @Test
  void aPullAndACopyBetweenServersSendTheChangedPages() throws Exception {
    Shell.run(lab.root(), "cp -a there again");
    assertSent(copy(address + "/source/image", "there/"), 2 * PAGE + SIZE % PAGE);

    Shell.run(lab.root(), "rm there/image; cp -a again/image there/");
    assertSent(copy(address + "/source/image", address + "/there/"), 2 * PAGE + SIZE % PAGE);
  }

  @Test
  void aWorkerSendsTheChangedPages() throws Exception {
    lab.run(
            lab.root(),
            "plan",
            "--dir",
            "plan",
            "--delta",
            "always",
            "source/image",
            address + "/there/")
        .expect(0);
    lab.run(lab.root(), "worker", "--plan", "plan").expect(0);

    Outcome report = lab.run(lab.root(), "plan", "report", "plan").expect(0);
    assertThat(report.out())
        .containsPattern("\"bytes_matched\": ?" + (SIZE - 2 * PAGE - SIZE % PAGE));
    assertThat(Files.mismatch(source.resolve("image"), there.resolve("image"))).isEqualTo(-1);
  }

  @Test
  void theSummarySaysWhatWasNotSent() {
    Outcome outcome =
        lab.run(lab.root(), "copy", "--delta", "always", "source/image", address + "/there/");
    assertThat(outcome.expect(0).out()).contains("5.71 MiB taken from the replaced files");
  }

  @ParameterizedTest
  @ValueSource(strings = {"crc32c", "xxh3"})
  void aFileWithHolesKeepsThemAndItsOtherNamesFollow(String checksum) throws Exception {
    Shell.run(
        source,
        "rm image; truncate -s 6000000 image; head -c 70000 /dev/urandom"
            + " | dd of=image bs=4096 seek=300 conv=notrunc status=none; ln image other;"
            + " cp image ../there; touch -d @1000000 ../there/image;"
            + " printf x | dd of=image bs=1 seek=1300000 conv=notrunc status=none");

    JsonNode summary =
        copy("source/", address + "/there/", "-r", "--hard-links", "--checksum", checksum);

    assertThat(summary.get("bytes").asLong()).isLessThan(2_200_000);
    assertThat(Files.mismatch(source.resolve("image"), there.resolve("image"))).isEqualTo(-1);
    String counts =
        new String(Shell.run(there, "stat -c '%h %b' image"), StandardCharsets.UTF_8).strip();
    assertThat(counts).startsWith("2 ");
    assertThat(Long.parseLong(counts.substring(2))).as("blocks of 512 bytes").isLessThan(2000);
  }

  /** Inserted bytes, and 6,000,000 others that have moved. */
  @Test
  void onlyInsertedBytesAreSent() throws Exception {
    Shell.run(source, "(head -c 70000 /dev/urandom; cat ../there/image) > new; mv new image");

    JsonNode summary = copy("source/image", address + "/there/");

    assertThat(summary.get("bytes").asLong()).isBetween(70_000L, 70_000L + 2 * PAGE);
    assertThat(Files.mismatch(source.resolve("image"), there.resolve("image"))).isEqualTo(-1);
  }

  /** A file, the same name in a tree, and trees from the server's root. */
  @ParameterizedTest
  @ValueSource(strings = {"old/image", "old", "/there/old", "/source/tree"})
  void aFileThatReplacesNoneIsComparedWithAnOlderOne(String from) throws Exception {
    Shell.run(
        there, "mkdir old; mv image old/; mkdir ../source/tree; cp old/image ../source/tree/");
    assertSent(
        copy("source/image", address + "/there/", "--delta-from", from), 2 * PAGE + SIZE % PAGE);
  }

  @Test
  void aPullAndACopyBetweenServersLookIntoAnOlderTree() throws Exception {
    Shell.run(
        lab.root(),
        "mkdir -p now old/a; mv there/image old/a/; mkdir source/a; mv source/image source/a/");
    source = source.resolve("a");
    there = lab.root().resolve("now/a");
    assertSent(
        copy(address + "/source/a", "now/", "-r", "--delta-from", "../old"),
        2 * PAGE + SIZE % PAGE);

    there = lab.root().resolve("there/a");
    Shell.run(lab.root(), "mv old there/");
    assertSent(
        copy(address + "/source/a", address + "/there/", "-r", "--delta-from", "old"),
        2 * PAGE + SIZE % PAGE);
  }

  @ParameterizedTest
  @CsvSource({
    "missing, 'missing' does not exist at the destination",
    "../source, '..'",
    "image/x, a directory is needed",
    "/elsewhere, choose one of",
  })
  void olderFilesThatAreNotThereAreAnError(String from, String message) {
    Outcome outcome =
        lab.run(lab.root(), "copy", "--delta-from", from, "source/image", address + "/there/new");
    assertThat(outcome.status()).isNotZero();
    assertThat(outcome.err()).contains(message);
  }

  @Test
  void offSendsTheWholeFile() throws Exception {
    Outcome outcome =
        lab.run(
            lab.root(), "copy", "--json", "--delta", "off", "source/image", address + "/there/");
    assertSent(JsonLines.of(JsonLines.events(outcome.expect(0)), "summary").get(0), SIZE);
  }
}
