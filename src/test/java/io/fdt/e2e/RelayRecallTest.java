package io.fdt.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/**
 * What the spool of a relay holds, when a connection breaks or a block is damaged: it comes from
 * there, and the source does not send it again. The part behind the relay stands still until a test
 * lets it go on.
 */
class RelayRecallTest {
  private static final int MIB = 1 << 20;

  private static final int FILE = 32 * MIB;
  private static final int BLOCK = 256 << 10;

  /**
   * Waits in the spool before anything is killed; a connection that stands still has 4 MiB there.
   */
  private static final int SPOOLED = 3 * MIB;

  /** Of what is in the spool, blocks of which another part was in memory. */
  private static final int TORN = 2 * BLOCK;

  private static final Duration DEADLINE = RunningCommand.DEADLINE;

  @RegisterExtension final Lab lab = new Lab();

  private final StillNetwork network = new StillNetwork();
  private Path source;
  private Path target;
  private SpoolFiles passing;
  private CommandProcess server;
  private CommandProcess relay;

  @BeforeEach
  void serve() {
    source = lab.directory("source");
    Content.write(source.resolve("large"), FILE, 1);
    target = lab.directory("target");
    passing = new SpoolFiles(lab.root().resolve("spool/passing"));
    server = startServer(0);
    relay = startRelay(0);
  }

  @AfterEach
  void openTheWay() throws Exception {
    network.close();
  }

  private CommandProcess startServer(int port) {
    return lab.serveProcess(
        "--port", Integer.toString(port), "--export", "source", "--export", "target:rw");
  }

  private CommandProcess startRelay(int port) {
    return lab.serveProcess(
        "--relay",
        "--spool",
        "spool:1G",
        "--port",
        Integer.toString(port),
        "--export",
        "e=" + lab.directory("empty"));
  }

  private static String[] copy(int relayPort, String from, String to, String... options) {
    List<String> words = new ArrayList<>(List.of("copy", "-r", "--json", "--explain", "-P", "1"));
    words.addAll(List.of("-bs", Integer.toString(BLOCK), "--via", "127.0.0.1:" + relayPort));
    words.addAll(List.of(options));
    words.addAll(List.of(from, to));
    return words.toArray(String[]::new);
  }

  private String[] push(int serverPort, String... options) {
    String to = "fdt://127.0.0.1:" + serverPort + "/target/";
    return copy(relay.port(), "source/", to, options);
  }

  private String[] pull(int relayPort) {
    return copy(relayPort, "fdt://127.0.0.1:" + server.port() + "/source/", "pulled");
  }

  private JsonNode relayOf(Outcome outcome) {
    return JsonLines.of(JsonLines.events(outcome.expect(0)), "relay").get(0);
  }

  /** The source hears of it and goes on by itself. */
  private JsonNode afterTheServerDied(RunningCommand copy) {
    server.kill();
    network.goOn();
    server = startServer(server.port());
    JsonNode relayed = relayOf(copy.end());
    Tree.assertSame(target, source);
    return relayed;
  }

  private void awaitSpooled() {
    await("bytes in the spool").atMost(DEADLINE).until(() -> passing.bytes() >= SPOOLED);
  }

  @Test
  void aDestinationThatDiesGetsItFromTheRelay() throws Exception {
    int port = network.before(server, false);
    RunningCommand copy = lab.start(lab.root(), push(port));
    awaitSpooled();

    JsonNode relayed = afterTheServerDied(copy);

    assertThat(relayed.path("to_server_recalled_bytes").asLong())
        .as("%s", relayed)
        .isGreaterThanOrEqualTo(SPOOLED - TORN);
  }

  /** They travel in packs, which the next session makes of the same files. */
  @Test
  void smallFilesComeFromTheRelay() throws Exception {
    Files.delete(source.resolve("large"));
    int size = 16 << 10;
    for (int i = 0; i < FILE / size; i++) {
      Content.write(source.resolve("small/" + i), size, i);
    }
    int port = network.before(server, false);
    RunningCommand copy = lab.start(lab.root(), push(port));
    awaitSpooled();

    JsonNode relayed = afterTheServerDied(copy);

    assertThat(relayed.path("to_server_recalled_bytes").asLong()).as("%s", relayed).isPositive();
  }

  /** What compresses well is sent again: it is shorter than its name. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void compressedBlocksComeFromTheRelayWhereThatSavesSomething(boolean isShort) throws Exception {
    if (isShort) {
      Files.write(source.resolve("large"), new byte[64 * MIB]);
      Content.write(source.resolve("last"), FILE, 2);
    }
    int port = network.before(server, false);
    RunningCommand copy = lab.start(lab.root(), push(port, "--compress", "zstd"));
    awaitSpooled();

    JsonNode relayed = afterTheServerDied(copy);

    assertThat(relayed.path("to_server_recalled_bytes").asLong()).as("%s", relayed).isPositive();
  }

  /** Its files are read by the process that follows it. */
  @Test
  void aRelayThatDiesHasWhatItHeldAgain() throws Exception {
    int port = network.before(server, false);
    RunningCommand copy = lab.start(lab.root(), push(port));
    awaitSpooled();

    relay.kill();
    network.goOn();
    relay = startRelay(relay.port());

    JsonNode relayed = relayOf(copy.end());
    Tree.assertSame(target, source);
    long recalled = relayed.path("to_server_recalled_bytes").asLong();
    assertThat(recalled).as("%s", relayed).isGreaterThanOrEqualTo(SPOOLED - TORN);
    assertThat(relayed.path("to_server_bytes").asLong())
        .as("sent by the source to the relay that came after it, %s", relayed)
        .isLessThanOrEqualTo(FILE - recalled + MIB);
  }

  @Test
  void aSourceThatDiesNeedNotSendItAgain() throws Exception {
    lab.leavesUnfinishedFiles();
    int port = network.before(server, false);
    CommandProcess copy = lab.startProcess(lab.root(), push(port));
    awaitSpooled();
    long came = Arrived.in(target).kept();

    copy.kill();
    CommandProcess again = lab.startProcess(lab.root(), push(port));
    await("the relay has let go of it")
        .atMost(DEADLINE)
        .until(
            () ->
                relay.err().contains("route opened")
                    && relay.err().split("route opened").length > 2);
    network.goOn();

    Outcome outcome = again.end().expect(0);
    Tree.assertSame(target, source);
    JsonNode summary = JsonLines.of(JsonLines.events(outcome), "summary").get(0);
    long fromSpool =
        FILE
            - came
            - summary.path("bytes").asLong() // it has arrived before
            + relayOf(outcome).path("to_server_recalled_bytes").asLong();
    assertThat(fromSpool).as("%s", outcome).isGreaterThanOrEqualTo(SPOOLED - TORN);
  }

  /** In a pull the server names what the relay holds. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aClientThatPullsGetsItFromTheRelay(boolean relayDies) throws Exception {
    lab.leavesUnfinishedFiles();
    int port = network.before(relay, true);
    CommandProcess copy = lab.startProcess(lab.root(), pull(port));
    awaitSpooled();

    if (relayDies) {
      relay.kill();
      relay = startRelay(relay.port());
    } else {
      copy.kill();
      copy = lab.startProcess(lab.root(), pull(relay.port()));
    }
    network.goOn();

    JsonNode relayed = relayOf(copy.end());
    Tree.assertSame(lab.root().resolve("pulled"), source);
    assertThat(relayed.path("to_client_recalled_bytes").asLong())
        .as("%s", relayed)
        .isGreaterThanOrEqualTo(SPOOLED - TORN);
  }

  /** They have left the spool when the destination notices, and lie there still. */
  @Test
  void blocksThatAreDamagedBehindTheRelayComeFromItAgain() throws Exception {
    AtomicLong damagedTo = new AtomicLong(2 * StillNetwork.HELD_FROM);
    int port =
        network.before(
            server,
            (data, number) ->
                (bytes, count, offset, back) -> {
                  if (!back && offset + count > StillNetwork.HELD_FROM) {
                    network.awaitGoOn();
                    if (offset > damagedTo.get() && offset < FILE / 2) {
                      bytes[count / 2] ^= 1;
                      damagedTo.set(offset + BLOCK);
                    }
                  }
                  return true;
                });
    RunningCommand copy = lab.start(lab.root(), push(port));
    awaitSpooled();

    network.goOn();

    JsonNode relayed = relayOf(copy.end());
    Tree.assertSame(target, source);
    assertThat(relayed.path("to_server_recalled_bytes").asLong())
        .as("%s", relayed)
        .isGreaterThanOrEqualTo(BLOCK);
  }

  /** No relay can read them, so it keeps nothing of them, and the source sends them again. */
  @Test
  void encryptedBlocksAreNotKept() throws Exception {
    int port = network.before(server, false);
    RunningCommand copy = lab.start(lab.root(), push(port, "--encrypt"));
    awaitSpooled();

    relay.kill();
    relay = startRelay(relay.port());
    assertThat(passing.bytes()).as("left by the one that died").isZero();
    network.goOn();

    JsonNode relayed = relayOf(copy.end());
    Tree.assertSame(target, source);
    assertThat(relayed.path("to_server_recalled_bytes").asLong()).isZero();
  }
}
