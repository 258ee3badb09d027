package io.fdt.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import io.fdt.e2e.CommandProcess;
import io.fdt.e2e.Content;
import io.fdt.e2e.JsonLines;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What programs are told of transfers, in both directions: --json, --report, --quiet. */
class JsonTest {
  private enum Way {
    PULL,
    PUSH
  }

  @RegisterExtension private final Lab lab = new Lab();
  private Path source;
  private Path target;
  private String address;

  @BeforeEach
  void serve() {
    source = lab.directory("source");
    target = lab.directory("target");
    Shell.run(
        source,
        "printf one > one; mkdir sub; printf two > sub/two; printf x > $'odd\\xff\\\\\\n"
            + "'; mkfifo fifo");
    RunningCommand server = lab.serve("--export", source.toString(), "--export", target + ":rw");
    address = "fdt://127.0.0.1:" + server.port();
  }

  private Outcome copy(Way way, String... options) {
    return lab.run(lab.root(), words(way, options));
  }

  private String[] words(Way way, String... options) {
    List<String> words = new ArrayList<>(List.of("copy", "-r"));
    words.addAll(List.of(options));
    words.addAll(
        way == Way.PULL
            ? List.of(address + "/source/", "target/")
            : List.of("source/", address + "/target/"));
    return words.toArray(String[]::new);
  }

  private static String at(Way way, String name) {
    return (way == Way.PULL ? "target/" : "source/") + name;
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void everyFileIsNamedWithItsFateWhateverItsName(Way way) {
    Outcome first = copy(way, "--json", "--report", "report.json").expect(0);

    List<JsonNode> events = JsonLines.events(first);
    String fifo = way == Way.PULL ? "/source/fifo" : "source/fifo";
    assertThat(JsonLines.outcomes(JsonLines.of(events, "file")))
        .containsExactlyInAnyOrder(
            "done " + at(way, "odd\u00ff\\\n"),
            "done " + at(way, "one"),
            "done " + at(way, "sub/two"),
            "skipped " + fifo);
    assertThat(fields(events, "verified")).containsOnly("digest");
    assertThat(events.get(0).get("event").asString()).isEqualTo("start");
    assertThat(JsonLines.of(events, "progress")).isNotEmpty();
    JsonNode report = JsonLines.report(lab.root().resolve("report.json"));
    assertThat(JsonLines.outcomes(report.get("files")))
        .isEqualTo(JsonLines.outcomes(JsonLines.of(events, "file")));
    assertThat(report.get("summary").get("bytes").asLong()).isEqualTo(7);
    assertThat(first.err()).isEmpty();

    List<JsonNode> again = JsonLines.events(copy(way, "--json").expect(0));

    assertThat(JsonLines.outcomes(JsonLines.of(again, "file")))
        .containsExactlyInAnyOrder(
            "unchanged " + at(way, "odd\u00ff\\\n"),
            "unchanged " + at(way, "one"),
            "unchanged " + at(way, "sub/two"),
            "skipped " + fifo);
    assertThat(fields(again, "unchanged_by")).containsOnly("size-and-time");
    List<JsonNode> read = JsonLines.events(copy(way, "--json", "--sync", "checksum").expect(0));
    assertThat(fields(read, "unchanged_by")).containsOnly("checksum");
    Shell.run(target, "rm -r *");
    Shell.run(source, "touch *");
    List<JsonNode> none = JsonLines.events(copy(way, "--json", "--checksum", "none").expect(0));
    assertThat(fields(none, "verified")).containsOnly("none");
  }

  /** This field of those files that were copied or are unchanged. */
  private static List<String> fields(List<JsonNode> events, String name) {
    return JsonLines.of(events, "file").stream()
        .filter(file -> !file.get("fate").asString().equals("skipped"))
        .filter(file -> file.has(name))
        .map(file -> file.get(name).asString())
        .toList();
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aFileThatCannotBePlacedIsNamedWithItsPath(Way way) {
    Shell.run(target, "mkdir -p sub/two");

    Outcome outcome = copy(way, "--json", "--report", "report.json").expect(1);

    List<JsonNode> files = JsonLines.of(JsonLines.events(outcome), "file");
    assertThat(JsonLines.outcomes(files)).contains("failed " + at(way, "sub/two"));
    assertThat(JsonLines.outcomes(JsonLines.report(lab.root().resolve("report.json")).get("files")))
        .isEqualTo(JsonLines.outcomes(files));
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void anInterruptedRunHasItsEndAndAChangedSourceANotice(Way way) {
    lab.leavesUnfinishedFiles();
    Content.write(source.resolve("large"), 32L << 20, 1);
    CommandProcess client =
        lab.startProcess(
            lab.root(), words(way, "--json", "--report", "report.json", "-limit", "16Mbit/s"));
    Lab.awaitUnfinished(target, 2);
    client.signal("INT");

    List<JsonNode> events = JsonLines.events(client.end().expect(130));

    assertThat(JsonLines.of(events, "error"))
        .extracting(error -> error.get("code").asString())
        .containsExactly("CANCELLED");
    JsonNode summary = JsonLines.report(lab.root().resolve("report.json")).get("summary");
    assertThat(summary.get("exit_status").asInt()).isEqualTo(130);

    if (way == Way.PULL) {
      Shell.run(source, "touch large");
      List<JsonNode> again = JsonLines.events(copy(way, "--json").expect(0));
      assertThat(JsonLines.of(again, "notice")).hasSize(1);
      assertThat(fields(again, "verified")).contains("digest");
    } else {
      List<JsonNode> again = JsonLines.events(copy(way, "--json").expect(0));
      assertThat(fields(again, "verified")).contains("digest-resumed");
    }
  }

  @Test
  void whatCannotBeginIsToldToo() {
    for (String[] line :
        List.of(
            new String[] {"copy", "--json", "only-one"},
            new String[] {"copy", "--json", "--quiet", "x", "h:y"},
            new String[] {"copy", "--json", "-bs", "lots", "x", "h:y"},
            new String[] {"-c", "h", "--json", "--no-such"},
            new String[] {"copy", "--json", "--token-file", "missing", "x", "127.0.0.1:y"},
            new String[] {"copy", "--json", "--report", "no/such/dir", "x", "127.0.0.1:y"},
            new String[] {"copy", "--json", "--report", ".", "x", "127.0.0.1:y"})) {
      List<JsonNode> events = JsonLines.events(lab.run(lab.root(), line).expect(2));
      assertThat(JsonLines.of(events, "error"))
          .extracting(error -> error.get("code").asString())
          .containsExactly("USAGE");
    }
    Outcome unreachable = lab.run(lab.root(), "copy", "--json", "fdt://127.0.0.1:1/x", "y");
    assertThat(JsonLines.of(JsonLines.events(unreachable.expect(3)), "error")).hasSize(1);
  }

  @Test
  void quietTellsOnlyWhatGoesWrong() {
    Outcome outcome =
        lab.run(lab.root(), "copy", "-r", "--quiet", address + "/source/", "target/").expect(0);

    assertThat(outcome.out()).isEmpty();
    assertThat(outcome.err()).isEmpty();
  }

  @Test
  void aReportThatCannotBeWrittenIsAFailureAndLeavesNothing() {
    Shell.run(lab.root(), "mkdir report.json");

    Outcome outcome = copy(Way.PULL, "--report", "report.json").expect(2);

    assertThat(outcome.problems()).hasSize(1).first().asString().contains("--report");
    assertThat(target).isEmptyDirectory();
    assertThat(lab.root().resolve("report.json")).isEmptyDirectory();
    assertThat(Shell.run(lab.root(), "find . -name '*.part-*'")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"event\":\"other\",\"time\":\"2026-01-01T00:00:00Z\"}",
        "{\"event\":\"notice\",\"time\":\"2026-01-01T00:00:00Z\"}",
        "{\"event\":\"notice\",\"time\":\"2026-01-01T00:00:00Z\",\"message\":\"x\",\"more\":1}",
        "{\"event\":\"file\",\"time\":\"2026-01-01T00:00:00Z\",\"fate\":\"done\",\"bytes\":1}",
        "{\"event\":\"file\",\"time\":\"2026-01-01T00:00:00Z\",\"fate\":\"failed\",\"path\":\"x\"}",
        "{\"event\":\"summary\",\"time\":\"2026-01-01T00:00:00Z\",\"exit_status\":\"0\"}"
      })
  void theSchemaRefusesWhatIsNoEvent(String text) {
    assertThat(JsonLines.EVENT.validate(text, InputFormat.JSON)).isNotEmpty();
  }
}
