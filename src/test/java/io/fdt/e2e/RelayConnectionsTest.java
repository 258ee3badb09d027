package io.fdt.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.e2e.FaultyNetwork.Fault;
import io.fdt.e2e.FaultyNetwork.Plan;
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

/** Copies whose parts of the way have different numbers of connections. */
class RelayConnectionsTest {
  private static final Plan SOUND = (data, number) -> Fault.NONE;

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

  /** The networks before and behind the relay see how many connections there are. */
  @ParameterizedTest
  @CsvSource({"'2,8', -v", "'8,2', -v", "'3,8', -v", "'1,4', -v", "'2,8', --encrypt"})
  void eachPartHasItsConnections(String connections, String option) throws Exception {
    FaultyNetwork before = network(relay, SOUND);
    FaultyNetwork behind = network(server, SOUND);
    String remote = "fdt://" + at(behind.port());
    String via = at(before.port());

    copy(connections, via, option, "source/", remote + "/target/").expect(0);
    Tree.assertSame(target, source);
    int near = Integer.parseInt(connections.split(",")[0]);
    int far = Integer.parseInt(connections.split(",")[1]);
    if (near > far) { // otherwise they do not look like data: the relay passes them on one by one
      assertThat(before.dataConnections()).isEqualTo(near);
    }
    assertThat(behind.dataConnections()).isEqualTo(far);

    copy(connections, via, option, remote + "/source/", "pulled").expect(0);
    Tree.assertSame(lab.root().resolve("pulled"), source);
    assertThat(relay.err()).contains("connections=");
  }

  @Test
  void threePartsHaveThreeNumbers() throws Exception {
    RunningCommand second = relay();
    FaultyNetwork between = network(second, SOUND);
    String remote = "fdt://" + at(server.port());
    String via = at(relay.port()) + "," + at(between.port());

    copy("2,6,4", via, "source/", remote + "/target/").expect(0);
    copy("3,2,5", via, remote + "/source/", "pulled").expect(0);

    Tree.assertSame(target, source);
    Tree.assertSame(lab.root().resolve("pulled"), source);
    assertThat(relay.err()).contains("connections=6/2");
    assertThat(second.err()).contains("connections=4/2").contains("connections=5/2");
    assertThat(between.dataConnections()).isEqualTo(6);
  }

  @Test
  void explainSaysHowManyThereWere() throws Exception {
    String remote = "fdt://" + at(server.port());

    Outcome push =
        copy("2,8", at(relay.port()), "--explain", "source/", remote + "/target/").expect(0);
    Outcome pull =
        copy("2,8", at(relay.port()), "--json", "--explain", remote + "/source/", "pulled")
            .expect(0);

    assertThat(push.err()).contains(" over 8 connections to " + at(server.port()));
    JsonNode event = JsonLines.of(JsonLines.events(pull), "relay").get(0);
    assertThat(event.get("to_server_connections").intValue()).isEqualTo(8);
    assertThat(event.get("to_client_connections").intValue()).isEqualTo(2);
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
                ? words("2,8", at(relay.port()), remote + "/source/", "pulled")
                : words("2,8", at(relay.port()), "source/", remote + "/target/"));
    await()
        .atMost(Duration.ofSeconds(40))
        .until(() -> behind.dataConnections() >= 8 && gate.hasHeld());
    behind.resetLastStream();
    gate.open();

    copy.end().expect(0);
    Tree.assertSame(isPull ? lab.root().resolve("pulled") : target, source);
    assertThat(behind.dataConnections()).as("the stream was dialed again").isGreaterThan(8);
  }

  /** Whether a bit of a cell's header is hit, or one of a frame: the result is the same. */
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

    copy("2,6", at(relay.port()), "source/", "fdt://" + at(behind.port()) + "/target/").expect(0);
    Tree.assertSame(target, source);
    assertThat(flips.get()).isGreaterThan(97);
  }

  @Test
  void eachPartHasItsCongestionControl() throws Exception {
    Path allowed = Path.of("/proc/sys/net/ipv4/tcp_allowed_congestion_control");
    Assumptions.assumeTrue(Files.exists(allowed) && Files.readString(allowed).contains("reno"));
    String remote = "fdt://" + at(server.port());

    copy("2,4", at(relay.port()), "--congestion", "cubic,reno", "source/", remote + "/target/")
        .expect(0);
    copy("2", at(relay.port()), "--congestion", "cubic,reno", remote + "/source/", "pulled")
        .expect(0);
    Outcome refused =
        copy("2", at(relay.port()), "--congestion", "cubic,none-such", remote + "/source/", "no")
            .expect(4);

    Tree.assertSame(target, source);
    Tree.assertSame(lab.root().resolve("pulled"), source);
    assertThat(relay.err())
        .contains("connections=4/2 congestion=reno/cubic")
        .contains("connections=1/1 congestion=reno/cubic")
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
    Assumptions.assumeTrue(Files.exists(allowed) && Files.readString(allowed).contains("bbr"));
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
    "'2,8,4', '', '3 values, and the way has 2 parts'",
    "'2,auto', '', 'auto stands alone'",
    "'2,', '', 'not a whole number'",
    "'0,4', '', 'not a whole number from 1 to 128'",
    "'4,129', '', 'not a whole number from 1 to 128'",
    "'1,128', '', 'give each part at least 2'",
    "'2,8', '--hand-over', '--hand-over'",
    "'2,8', '--reverse', '--reverse'",
  })
  void whatDoesNotFitTheWayIsRefused(String connections, String options, String message) {
    List<String> more = new ArrayList<>();
    if (!options.isEmpty()) {
      more.addAll(List.of(options.split(" ")));
    }
    more.addAll(List.of("source/", "fdt://192.0.2.2/x"));
    Outcome outcome = copy(connections, "192.0.2.1", more.toArray(String[]::new)).expect(2);
    assertThat(outcome.err()).contains("-P").contains(message);
  }

  @Test
  void aWayThatIsNotGivenHasNoParts() {
    Outcome none =
        lab.run(lab.root(), "copy", "-P", "2,8", "source/large", "fdt://192.0.2.2/x").expect(2);
    Outcome auto = copy("2,8", "auto", "source/", "fdt://192.0.2.2/x").expect(2);
    Outcome two = copy("2,8", "192.0.2.1", "fdt://192.0.2.2/x", "fdt://192.0.2.3/y").expect(2);
    assertThat(none.err()).contains("the way has one part");
    assertThat(auto.err()).contains("--via auto");
    assertThat(two.err()).contains("copies between two servers");
  }

  @Test
  void aNetworkTestHasThemToo() {
    Outcome outcome =
        lab.run(
            lab.root(),
            "nettest",
            "--seconds",
            "1",
            "-P",
            "2,4",
            "--via",
            at(relay.port()),
            at(server.port()));
    assertThat(outcome.expect(0).out() + outcome.err()).contains("2 streams");
    assertThat(relay.err()).contains("connections=4/2");
  }
}
