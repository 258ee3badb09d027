package io.fdt.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;
import static org.awaitility.Awaitility.await;

import io.fdt.e2e.JsonLines;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** What commands that copy nothing tell programs, as the documented schemas say. */
class JsonCommandsTest {
  @RegisterExtension private final Lab lab = new Lab();

  @Test
  void nettestTellsItsRateAndItsResult() {
    RunningCommand server =
        lab.serve("--export", lab.directory("in") + ":rw", "--limit", "200Mbit/s");

    List<JsonNode> events =
        commands("nettest", "--json", "--seconds", "2", "-P", "2", "127.0.0.1:" + server.port());

    assertThat(JsonLines.of(events, "rate")).isNotEmpty();
    JsonNode result = JsonLines.of(events, "nettest").get(0);
    assertThat(result.get("streams").asInt()).isEqualTo(2);
    assertThat(result.get("bytes_per_second").asLong())
        .isCloseTo(
            Math.round(result.get("bytes").asLong() / result.get("seconds").asDouble()),
            withinPercentage(1));
    Outcome refused =
        lab.run(lab.root(), "nettest", "--json", "--seconds", "1", "127.0.0.1:1").expect(3);
    assertThat(JsonLines.of(JsonLines.lines(JsonLines.COMMANDS, refused), "error")).hasSize(1);
  }

  @Test
  void tokensLoginsAndServersAreTold() {
    Path owner = lab.directory("owner");
    List<JsonNode> made =
        tokens(owner, "token", "--json", "create", "alice", "--read-only", "--expires", "30d");
    RunningCommand server = lab.serveAt(owner, "--export", lab.directory("in") + ":rw");
    String host = "127.0.0.1:" + server.port();
    JsonNode listed = JsonLines.of(tokens(owner, "token", "--json", "list"), "token").get(0);

    Shell.run(
        lab.root(), "printf %s '" + made.get(0).get("token").asString() + "' > t; chmod 600 t");
    List<JsonNode> login = commands("login", "--json", "--accept-new", "--token-file", "t", host);
    List<JsonNode> servers = commands("servers", "--json");
    List<JsonNode> logout = commands("logout", "--json", host);

    assertThat(listed.has("token")).isFalse();
    assertThat(listed.get("expires")).isEqualTo(made.get(0).get("expires"));
    assertThat(listed.get("read_only").asBoolean()).isTrue();
    assertThat(login.get(0).get("token").asBoolean()).isTrue();
    assertThat(servers.get(0).get("fingerprint")).isEqualTo(login.get(0).get("fingerprint"));
    assertThat(logout.get(0).get("server").asString()).isEqualTo(host);
    assertThat(tokens(owner, "token", "--json", "revoke", "alice").get(0).get("name").asString())
        .isEqualTo("alice");
    Outcome unknown = lab.run(lab.root(), "token", "--json", "revoke", "bob");
    assertThat(unknown.status()).isNotZero();
    assertThat(JsonLines.of(JsonLines.lines(JsonLines.COMMANDS, unknown), "error")).hasSize(1);
  }

  @Test
  void rmDryRunTellsWhatWouldGoAndRemovesNothing() {
    Path in = lab.directory("in");
    Shell.run(in, "mkdir -p d/e; printf 12 > d/e/f; printf 3 > d/g; ln -s g d/link; printf 4 > a");
    RunningCommand server = lab.serve("--export", in + ":rw");
    String host = "fdt://127.0.0.1:" + server.port();

    Outcome text = lab.run(lab.root(), "rm", "-n", "-r", host + "/in/d", host + "/in/a").expect(0);
    Outcome json = lab.run(lab.root(), "rm", "--dry-run", "--json", "-r", host + "/in/d").expect(0);
    Outcome directory = lab.run(lab.root(), "rm", "-n", host + "/in/d").expect(1);
    JsonNode pretended = JsonLines.lines(JsonLines.FILES, json).get(0);

    assertThat(text.out())
        .isEqualTo(
            """
            would remove /in/d (3 files, 2 directories, 3 B)
            would remove /in/a (1 file, 0 directories, 1 B)
            """);
    assertThat(pretended.get("pretended").asBoolean()).isTrue();
    assertThat(directory.err()).contains("add -r");
    assertThat(Tree.beneath(in)).hasSize(6);
    Outcome real = lab.run(lab.root(), "rm", "--json", "-r", host + "/in/d").expect(0);
    JsonNode removed = JsonLines.lines(JsonLines.FILES, real).get(0);
    for (String figure : List.of("files", "directories", "links", "bytes")) {
      assertThat(removed.get(figure)).as(figure).isEqualTo(pretended.get(figure));
    }
  }

  @Test
  void cleanupExplainAndMistakesAreTold() {
    Path in = lab.directory("in");
    Shell.run(in, "printf 123 > .fdt-0123456789abcdef.part");

    List<JsonNode> dry = commands("cleanup", "--json", "-n", "in");
    List<JsonNode> real = commands("cleanup", "--json", "in");
    List<JsonNode> explained = commands("explain", "--json", "3");

    assertThat(dry.size()).isEqualTo(real.size());
    assertThat(JsonLines.of(explained, "explanation"))
        .isNotEmpty()
        .allMatch(one -> one.get("exit_status").asInt() == 3);
    assertThat(commands("explain", "--json", "not-found").get(0).get("code").asString())
        .isEqualTo("NOT_FOUND");
    for (String[] line :
        new String[][] {{"nettest", "--json"}, {"cleanup", "--json"}, {"token", "--json", "x"}}) {
      Outcome wrong = lab.run(lab.root(), line).expect(2);
      JsonLines.lines(JsonLines.COMMANDS, wrong);
    }
  }

  @Test
  void aServerTellsWhereItIs() {
    Path in = lab.directory("in");
    RunningCommand server =
        lab.start(lab.root(), "serve", "--json", "--port", "0", "--bind", "127.0.0.1", in + ":rw");
    await().atMost(RunningCommand.DEADLINE).until(() -> server.out().contains("\n"));
    server.stop();

    List<JsonNode> events = JsonLines.lines(JsonLines.COMMANDS, server.end().expect(0));
    JsonNode ready = events.get(0);
    assertThat(ready.get("port").asInt()).isPositive().isEqualTo(ready.get("data_port").asInt());
    assertThat(ready.get("hosts").get(0).asString()).isEqualTo("127.0.0.1");
    assertThat(ready.get("exports").get(0).get("path").asString()).isEqualTo("/in");
    assertThat(ready.get("exports").get(0).get("access").asString()).isEqualTo("rw");
    assertThat(events.get(1).get("event").asString()).isEqualTo("summary");
  }

  @Test
  void aWorkerTellsOfItsUnits() {
    Path source = lab.directory("source");
    Shell.run(source, "mkdir d; printf 1 > a; printf 23 > d/b");
    RunningCommand server = lab.serve("--export", source.toString());
    String from = "fdt://127.0.0.1:" + server.port() + "/source";
    Outcome planned = lab.run(lab.root(), "plan", "--json", "--dir", "plan", "-r", from, "to");
    assertThat(planned.expect(0).out())
        .startsWith("{")
        .isEqualTo(lab.run(lab.root(), "plan", "status", "--json", "plan").expect(0).out());

    List<JsonNode> events = commands("worker", "--json", "--plan", "plan");

    assertThat(JsonLines.of(events, "unit"))
        .isNotEmpty()
        .allMatch(unit -> unit.get("exit_status").asInt() == 0 && unit.get("attempt").asInt() == 1);
    assertThat(
            JsonLines.of(events, "unit").stream()
                .mapToLong(unit -> unit.get("files").asLong())
                .sum())
        .isEqualTo(2);
    Tree.assertSame(lab.root().resolve("to/source"), source);
  }

  @Test
  void whatIsPrintedForOthersIsATextForPrograms() {
    String plain = lab.run(lab.root(), "completion", "bash").expect(0).out();

    assertThat(commands("completion", "--json", "bash").get(0).get("text").asString())
        .isEqualTo(plain);
    assertThat(commands("completion", "--json", "markdown").get(0).get("text").asString())
        .contains("# Commands", "## copy", "| `--checksum NAME` |");
  }

  private List<JsonNode> tokens(Path home, String... line) {
    return JsonLines.lines(JsonLines.COMMANDS, lab.runAt(home, lab.root(), line).expect(0));
  }

  private List<JsonNode> commands(String... line) {
    return JsonLines.lines(JsonLines.COMMANDS, lab.run(lab.root(), line).expect(0));
  }
}
