package io.fdt.e2e.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.e2e.Arrived;
import io.fdt.e2e.CommandProcess;
import io.fdt.e2e.Content;
import io.fdt.e2e.JsonLines;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Copies whose connections go through relays. */
class RelayTest {
  private static final long MIB = 1 << 20;

  @RegisterExtension final Lab lab = new Lab();

  private Path source;
  private Path target;
  private RunningCommand server;

  @BeforeEach
  void serve() throws Exception {
    source = lab.directory("source");
    Content.write(source.resolve("large"), 20 * MIB, 1);
    for (int i = 0; i < 100; i++) {
      Content.write(source.resolve("d" + i % 5 + "/small" + i), 100L * i, i);
    }
    target = lab.directory("target");
    server = lab.serve("--export", source.toString(), "--export", target + ":rw");
  }

  private String at(String path) {
    return "fdt://127.0.0.1:" + server.port() + path;
  }

  private static String via(RunningCommand... relays) {
    List<String> all = new ArrayList<>();
    for (RunningCommand relay : relays) {
      all.add("127.0.0.1:" + relay.port());
    }
    return String.join(",", all);
  }

  private RunningCommand relay(String... options) {
    List<String> all = new ArrayList<>(List.of("--export", lab.directory("empty").toString()));
    all.addAll(List.of(options));
    return lab.serve(all.toArray(String[]::new));
  }

  private Outcome copy(String... words) {
    List<String> all = new ArrayList<>(List.of("copy", "-r"));
    all.addAll(List.of(words));
    return lab.run(lab.root(), all.toArray(String[]::new));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aTreeGoesThroughARelayInBothDirections(boolean encrypted) {
    RunningCommand relay = relay("--relay");
    String how = encrypted ? "--encrypt" : "-v";
    copy("--via", via(relay), how, at("/source/"), "pulled").expect(0);
    copy("--via", via(relay), how, "source/", at("/target/")).expect(0);
    Tree.assertSame(lab.root().resolve("pulled"), source);
    Tree.assertSame(target, source);
    assertThat(relay.err()).contains("route opened").contains("127.0.0.1:" + server.port());
  }

  @Test
  void relaysFollowOneAnother() {
    RunningCommand first = relay("--relay");
    RunningCommand second = relay("--relay");
    copy("--via", via(first, second), at("/source/"), "pulled").expect(0);
    Tree.assertSame(lab.root().resolve("pulled"), source);
    assertThat(first.err()).contains("127.0.0.1:" + second.port());
    assertThat(second.err()).contains("127.0.0.1:" + server.port());
  }

  @Test
  void filesAreListedThroughARelay() {
    Outcome listed = lab.run(lab.root(), "ls", "--via", via(relay("--relay")), at("/source"));
    assertThat(listed.expect(0).out()).contains("large");
  }

  @Test
  void aServerThatIsNoRelaySaysSo() {
    Outcome outcome = copy("--via", via(relay()), at("/source/"), "pulled").expect(4);
    assertThat(outcome.err()).contains("not a relay").contains("--relay");
    assertThat(lab.root().resolve("pulled")).doesNotExist();
  }

  @Test
  void aRelayConnectsOnlyToWhereItMay() {
    RunningCommand relay = relay("--relay", "--relay-to", "192.0.2.0/24");
    Outcome outcome = copy("--via", via(relay), at("/source/"), "pulled").expect(4);
    assertThat(outcome.err())
        .contains("connecting to 127.0.0.1, its own machine, is not allowed")
        .contains("--relay-to");
  }

  /** The lines of two relays, of what went up and of what came down. */
  @Test
  void explainSaysHowTheRelaysWereDoing() {
    RunningCommand first = relay("--relay");
    RunningCommand second = relay("--relay");
    String via = via(first, second);

    Outcome pull = copy("--via", via, "--explain", at("/source/"), "pulled").expect(0);
    Outcome push = copy("--via", via, "--explain", "source/", at("/target/")).expect(0);

    for (Outcome outcome : List.of(pull, push)) {
      assertThat(outcome.err())
          .containsPattern("relay 127.0.0.1:" + first.port() + ": passed on [0-9.]+ MiB")
          .containsPattern("relay 127.0.0.1:" + second.port() + ": passed on [0-9.]+ MiB")
          .containsPattern("was the slower one: the relay waited for it [0-9]+ % of the time");
    }
  }

  @Test
  void relaysAreEventsOfJson() {
    RunningCommand relay = relay("--relay");

    Outcome outcome =
        copy("--via", via(relay), "--explain", "--json", "source/", at("/target/")).expect(0);

    List<JsonNode> relays = JsonLines.of(JsonLines.events(outcome), "relay");
    assertThat(relays).hasSize(1);
    assertThat(JsonLines.of(JsonLines.events(outcome), "summary").get(0).get("checksum").asString())
        .as("what a relay forges is noticed")
        .contains("sha256");
    assertThat(relays.get(0).path("relay").asString()).isEqualTo("127.0.0.1:" + relay.port());
    assertThat(relays.get(0).path("to_server_bytes").asLong()).isGreaterThan(2 << 20);
  }

  /** A token of the relay, in a file. */
  private String token(String... limits) throws Exception {
    List<String> words = new ArrayList<>(List.of("token", "create", "bob"));
    words.addAll(List.of(limits));
    Path file = lab.root().resolve("bob.token");
    String made = lab.run(lab.root(), words.toArray(String[]::new)).expect(0).out().strip();
    Files.writeString(file, made);
    Shell.run(lab.root(), "chmod 600 bob.token");
    return file.toString();
  }

  @Test
  void aTokenIsHeldToItsRateAndItsAddresses() throws Exception {
    String token = token("--no-third-party", "--relay-limit", "20M", "--relay-to", "127.0.0.0/8");
    RunningCommand relay = relay("--relay");
    copy("--via", via(relay), "--via-token-file", token, at("/source/"), "pulled").expect(0);
    Tree.assertSame(lab.root().resolve("pulled"), source);
    copy("--via", via(relay), "--via-token-file", token, "source/", at("/target/")).expect(0);
    Tree.assertSame(target, source);
    Outcome listed = lab.run(lab.root(), "token", "list").expect(0);
    assertThat(listed.out())
        .contains("third-party=no relay=yes relay-to=127.0.0.0/8 relay-limit=20.0 MiB/s");
  }

  @Test
  void aTokenIsNotRelayedElsewhere() throws Exception {
    String token = token("--relay-to", "192.0.2.0/24");
    RunningCommand relay = relay("--relay");
    Outcome outcome =
        copy("--via", via(relay), "--via-token-file", token, at("/source/"), "pulled").expect(4);
    assertThat(outcome.err()).contains("the token does not allow connecting to 127.0.0.1");
  }

  @Test
  void whoseTokenIsRefusedIsSaid() throws Exception {
    String token = token();
    lab.run(lab.root(), "token", "revoke", "bob").expect(0);
    RunningCommand relay = relay("--relay");
    Outcome outcome =
        copy("--via", via(relay), "--via-token-file", token, at("/source/"), "pulled").expect(4);
    assertThat(outcome.err()).contains("the relay 127.0.0.1: it does not accept this token");
  }

  @ParameterizedTest
  @ValueSource(strings = {"--no-relay", "--no-third-party"})
  void aTokenWithoutTheRightIsNotRelayed(String option) throws Exception {
    String token = token(option);
    RunningCommand relay = relay("--relay");
    Outcome outcome =
        copy("--via", via(relay), "--via-token-file", token, at("/source/"), "pulled").expect(4);
    assertThat(outcome.err()).contains("a relay needs a token that allows relaying");
  }

  @Test
  void limitsOfWhatIsRefusedMakeNoSense() {
    Outcome outcome =
        lab.run(lab.root(), "token", "create", "bob", "--no-relay", "--spool", "1G").expect(2);
    assertThat(outcome.err()).contains("--no-relay cannot be combined with");
  }

  @Test
  void nobodyRelaysWithoutAToken() {
    RunningCommand relay =
        lab.serveAt(
            lab.directory("other"), "--relay", "--export", source.toString(), "--anonymous", "rw");
    Outcome outcome = copy("--accept-new", "--via", via(relay), at("/source/"), "pulled").expect(4);
    assertThat(outcome.err()).contains("a relay needs a token");
  }

  @Test
  void aServerThatDoesNotRunIsMissedByTheRelay() {
    RunningCommand relay = relay("--relay");
    String gone = at("/source/");
    server.stop();
    Outcome outcome = copy("--retry-timeout", "0", "--via", via(relay), gone, "pulled").expect(3);
    assertThat(outcome.err())
        .contains("the relay 127.0.0.1:" + relay.port() + " cannot connect further");
  }

  @Test
  void aRelayThatDoesNotRunIsNamed() {
    RunningCommand relay = relay("--relay");
    String where = via(relay);
    relay.stop();
    Outcome outcome =
        copy("--retry-timeout", "0", "--via", where, at("/source/"), "pulled").expect(3);
    assertThat(outcome.err()).contains("cannot connect to " + where);
  }

  /** Nothing that has arrived is sent again by a relay that was killed and comes back. */
  @Test
  void aRelayThatWasRestartedIsUsedAgain() throws Exception {
    Path empty = lab.directory("empty");
    CommandProcess first = lab.serveProcess("--relay", "--export", empty.toString());
    int port = first.port();
    RunningCommand copying =
        lab.start(
            lab.root(),
            "copy",
            "--limit",
            "40Mbit/s",
            "--via",
            "127.0.0.1:" + port,
            at("/source/large"),
            "large");
    await().atMost(RunningCommand.DEADLINE).until(() -> Arrived.in(lab.root()).kept() > 2 * MIB);
    first.kill();
    lab.serveProcess("--relay", "--port", Integer.toString(port), "--export", empty.toString());
    copying.end().expect(0);
    Content.assertSame(lab.root().resolve("large"), source.resolve("large"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aTokenOfTheRelayThatIsRevokedEndsTheCopyAtOnce(boolean push) throws Exception {
    lab.leavesUnfinishedFiles();
    String token = token();
    RunningCommand relay = relay("--relay");
    RunningCommand copying =
        lab.start(
            lab.root(),
            "copy",
            "--limit",
            "8Mbit/s",
            "--via",
            via(relay),
            "--via-token-file",
            token,
            push ? "source/large" : at("/source/large"),
            push ? at("/target/") : "large");
    Path where = push ? target : lab.root();
    await().atMost(RunningCommand.DEADLINE).until(() -> Arrived.in(where).kept() > MIB);

    lab.run(lab.root(), "token", "revoke", "bob").expect(0);

    assertThat(copying.end().expect(4).err())
        .contains("the relay 127.0.0.1: it does not accept this token");
  }

  @Test
  void aRelayNeedsNoExportAndExposesNothing() throws Exception {
    RunningCommand relay = lab.serve("--relay");
    copy("--via", via(relay), at("/source/"), "pulled").expect(0);
    Tree.assertSame(lab.root().resolve("pulled"), source);

    String itself = "fdt://" + via(relay);
    assertThat(lab.run(lab.root(), "ls", itself + "/").expect(0).out()).isEmpty();
    assertThat(copy("source/", itself + "/target/").expect(1).err())
        .contains("the server exports nothing");
    assertThat(copy(itself + "/source/", "other").expect(1).err())
        .contains("'/source/' does not exist: the server exports nothing");
    assertThat(relay.out()).contains("exposing nothing: a relay to other servers");
  }

  @Test
  void aRelayConnectsToItsOwnMachineOnlyWhereItIsToldTo() {
    RunningCommand relay =
        lab.start(lab.root(), "serve", "--bind", "127.0.0.1", "--port", "0", "--relay");
    Outcome outcome = copy("--via", via(relay), at("/source/"), "pulled").expect(4);
    assertThat(outcome.err())
        .contains("connecting to 127.0.0.1, its own machine, is not allowed")
        .contains("--relay-to");
  }
}
