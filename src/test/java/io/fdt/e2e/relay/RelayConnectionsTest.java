package io.fdt.e2e.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.e2e.Content;
import io.fdt.e2e.FaultyNetwork;
import io.fdt.e2e.FaultyNetwork.Plan;
import io.fdt.e2e.JsonLines;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Tree;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Streams of copies through a relay, and the congestion control of each part of the way. */
class RelayConnectionsTest {
  @RegisterExtension final Lab lab = new Lab();

  private final List<FaultyNetwork> networks = new ArrayList<>();
  private Path source;
  private Path target;
  private RunningCommand server;
  private RunningCommand relay;

  @BeforeEach
  void serve() throws Exception {
    source = lab.directory("source");
    Content.write(source.resolve("large"), 20 << 20, 1);
    for (int i = 0; i < 50; i++) {
      Content.write(source.resolve("d" + i % 5 + "/small" + i), 100L * i, i);
    }
    target = lab.directory("target");
    server = lab.serve("--export", source.toString(), "--export", target + ":rw");
    relay = relay();
  }

  @AfterEach
  void closeNetworks() throws Exception {
    for (FaultyNetwork network : networks) {
      network.close();
    }
  }

  private RunningCommand relay() {
    return lab.serve("--relay", "--export", lab.directory("empty").toString());
  }

  private FaultyNetwork network(RunningCommand to, Plan plan) {
    FaultyNetwork network = new FaultyNetwork(to.port(), plan);
    networks.add(network);
    return network;
  }

  private static String at(int port) {
    return "127.0.0.1:" + port;
  }

  private static String[] words(String connections, String via, String... more) {
    List<String> all = new ArrayList<>(List.of("copy", "-r", "-P", connections, "--via", via));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  private Outcome copy(String connections, String via, String... more) {
    return lab.run(lab.root(), words(connections, via, more));
  }

  @Test
  void explainSaysHowManyThereWere() throws Exception {
    String remote = "fdt://" + at(server.port());

    Outcome push =
        copy("8", at(relay.port()), "--explain", "source/", remote + "/target/").expect(0);
    Outcome pull =
        copy("8", at(relay.port()), "--json", "--explain", remote + "/source/", "pulled").expect(0);

    assertThat(push.err()).contains(" over 8 connections to " + at(server.port()));
    JsonNode event = JsonLines.of(JsonLines.events(pull), "relay").get(0);
    assertThat(event.get("connections").intValue()).isEqualTo(8);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aConnectionThatBreaksCostsNothingThatArrived(boolean isPull) throws Exception {
    FaultyNetwork.Gate gate = new FaultyNetwork.Gate(4 << 20); // so that something is on its way
    FaultyNetwork behind = network(server, gate);
    String remote = "fdt://" + at(behind.port());
    RunningCommand copy =
        lab.start(
            lab.root(),
            isPull
                ? words("2", at(relay.port()), remote + "/source/", "pulled")
                : words("2", at(relay.port()), "source/", remote + "/target/"));
    await()
        .atMost(Duration.ofSeconds(40))
        .until(() -> behind.dataConnections() >= 2 && gate.hasHeld());
    behind.resetLastStream();
    gate.open();

    copy.end().expect(0);
    Tree.assertSame(isPull ? lab.root().resolve("pulled") : target, source);
    assertThat(behind.dataConnections()).as("the stream was dialed again").isGreaterThan(2);
  }

  @Test
  void bytesThatAreDamagedAreSentAgain() throws Exception {
    AtomicInteger flips = new AtomicInteger();
    FaultyNetwork behind =
        network(
            server,
            (data, number) ->
                (bytes, count, offset, toClient) -> {
                  if (data && !toClient && count > 1000 && flips.incrementAndGet() % 97 == 0) {
                    bytes[count / 2] ^= 4;
                    bytes[5] ^= 1;
                  }
                  return true;
                });

    copy("3", at(relay.port()), "source/", "fdt://" + at(behind.port()) + "/target/").expect(0);
    Tree.assertSame(target, source);
    assertThat(flips.get()).isGreaterThan(97);
  }

  @Test
  void eachPartHasItsCongestionControl() throws Exception {
    Path allowed = Path.of("/proc/sys/net/ipv4/tcp_allowed_congestion_control");
    Assumptions.assumeTrue(
        Files.exists(allowed) && Files.readString(allowed).contains("reno"),
        "the system does not allow the congestion control reno");
    String remote = "fdt://" + at(server.port());

    copy("2", at(relay.port()), "--congestion", "cubic,reno", "source/", remote + "/target/")
        .expect(0);
    copy("2", at(relay.port()), "--congestion", "cubic,reno", remote + "/source/", "pulled")
        .expect(0);
    Outcome refused =
        copy("2", at(relay.port()), "--congestion", "cubic,none-such", remote + "/source/", "no")
            .expect(4);

    Tree.assertSame(target, source);
    Tree.assertSame(lab.root().resolve("pulled"), source);
    assertThat(relay.err())
        .contains(" congestion=reno/cubic ")
        .doesNotContain("congestion control not set");
    assertThat(refused.err()).contains("none-such").contains("tcp_allowed_congestion_control");
  }

  /** Alone, it holds for the relay, too. */
  @ParameterizedTest
  @CsvSource({
    "'-P auto', 'auto/auto'",
    "'-P 2 --congestion auto', 'auto/auto'",
    "'-P 2 --congestion cubic,auto', 'auto/cubic'",
    "'-P auto --congestion auto,cubic', 'cubic/auto'",
    "'-P auto --congestion cubic', '/'",
  })
  void aRelayFindsItsCongestionControl(String options, String atRelay) throws Exception {
    Path allowed = Path.of("/proc/sys/net/ipv4/tcp_allowed_congestion_control");
    Assumptions.assumeTrue(
        Files.exists(allowed) && Files.readString(allowed).contains("bbr"),
        "the system does not allow the congestion control bbr");
    String remote = "fdt://" + at(server.port());
    List<String> push = new ArrayList<>(List.of("copy", "-r", "--via", at(relay.port())));
    push.addAll(List.of(options.split(" ")));
    List<String> pull = new ArrayList<>(push);
    push.addAll(List.of("source/", remote + "/target/"));
    pull.addAll(List.of(remote + "/source/", "pulled"));

    lab.run(lab.root(), push.toArray(String[]::new)).expect(0);
    lab.run(lab.root(), pull.toArray(String[]::new)).expect(0);

    Tree.assertSame(target, source);
    Tree.assertSame(lab.root().resolve("pulled"), source);
    assertThat(relay.err()).contains(" congestion=" + atRelay + " ");
  }

  @ParameterizedTest
  @CsvSource({
    "'cubic,bbr,reno', '', '3 values, and the way has 2 parts'",
    "'cubic,', '', 'the name is missing'",
    "'cubic,bbr', '--hand-over', '--hand-over'",
    "'cubic,bbr', '--reverse', '--reverse'",
  })
  void congestionControlsThatDoNotFitTheWayAreRefused(
      String congestion, String options, String message) {
    List<String> more = new ArrayList<>(List.of("--congestion", congestion));
    if (!options.isEmpty()) {
      more.add(options);
    }
    more.addAll(List.of("source/", "fdt://192.0.2.2/x"));
    Outcome outcome = copy("2", "192.0.2.1", more.toArray(String[]::new)).expect(2);
    assertThat(outcome.err()).contains("--congestion").contains(message);
  }

  @Test
  void aWayThatIsNotGivenHasNoParts() {
    String two = "--congestion=cubic,bbr";
    Outcome none = lab.run(lab.root(), "copy", two, "source/large", "fdt://192.0.2.2/x").expect(2);
    Outcome auto = copy("2", "auto", two, "source/", "fdt://192.0.2.2/x").expect(2);
    Outcome between =
        copy("2", "192.0.2.1", two, "fdt://192.0.2.2/x", "fdt://192.0.2.3/y").expect(2);
    assertThat(none.err()).contains("the way has one part");
    assertThat(auto.err()).contains("--via auto");
    assertThat(between.err()).contains("copies between two servers");
  }

  @Test
  void thereIsOneNumberForAllParts() {
    Outcome outcome = copy("2,8", "192.0.2.1", "source/", "fdt://192.0.2.2/x").expect(2);
    assertThat(outcome.err()).contains("-P is the number of streams");
  }
}
