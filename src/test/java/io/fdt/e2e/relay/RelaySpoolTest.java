package io.fdt.e2e.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.e2e.Arrived;
import io.fdt.e2e.CommandProcess;
import io.fdt.e2e.Content;
import io.fdt.e2e.FaultyNetwork;
import io.fdt.e2e.FaultyNetwork.Plan;
import io.fdt.e2e.JsonLines;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Tree;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A relay with a spool before a network that stands still: it takes what the sender gives, and
 * passes it on when the network goes on.
 */
class RelaySpoolTest {
  private static final int MIB = 1 << 20;

  /** Control connections carry less. */
  private static final long HELD_FROM = MIB;

  /** More than all sockets on the way and the relay's memory hold, and a little of a spool. */
  private static final int FILE = 32 * MIB;

  private static final Duration DEADLINE = RunningCommand.DEADLINE;

  @RegisterExtension final Lab lab = new Lab();

  private final CountDownLatch goOn = new CountDownLatch(1);
  private final List<FaultyNetwork> networks = new ArrayList<>();
  private Path source;
  private Path target;
  private Path passing;
  private RunningCommand server;
  private RunningCommand relay;

  @BeforeEach
  void serve() {
    source = lab.directory("source");
    Content.write(source.resolve("large"), FILE, 1);
    target = lab.directory("target");
    passing = lab.root().resolve("spool/passing");
    server = lab.serve("--export", "source", "--export", "target:rw");
    String empty = "e=" + lab.directory("empty");
    relay = lab.serve("--relay", "--spool", "spool:1G", "--export", empty, "--metrics", "0");
  }

  @AfterEach
  void openTheWay() throws Exception {
    goOn.countDown();
    for (FaultyNetwork network : networks) {
      network.close();
    }
  }

  /** One that holds the data in one direction until it goes on. */
  private int network(RunningCommand behind, boolean toClient) {
    Plan plan =
        (data, number) ->
            (bytes, count, offset, back) -> {
              if (back == toClient && offset + count > HELD_FROM) {
                goOn.await();
              }
              return true;
            };
    FaultyNetwork network = new FaultyNetwork(behind.port(), plan);
    networks.add(network);
    return network.port();
  }

  private static String[] push(RunningCommand relay, int serverPort, String... options) {
    List<String> words = new ArrayList<>(List.of("copy", "-r", "-P", "1", "-bs", "256K"));
    words.addAll(List.of("--via", "127.0.0.1:" + relay.port()));
    words.addAll(List.of(options));
    words.addAll(List.of("source/", "fdt://127.0.0.1:" + serverPort + "/target/"));
    return words.toArray(String[]::new);
  }

  private double metric(String name) throws Exception {
    Matcher address =
        Pattern.compile("(?m)^metrics at (http://127.0.0.1:\\d+/metrics)$").matcher(relay.out());
    assertThat(address.find()).as(relay.out()).isTrue();
    String page =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(URI.create(address.group(1))).timeout(DEADLINE).build(),
                HttpResponse.BodyHandlers.ofString())
            .body();
    Matcher value = Pattern.compile("(?m)^" + name + " (\\S+)$").matcher(page);
    assertThat(value.find()).as(page).isTrue();
    return Double.parseDouble(value.group(1));
  }

  private long spooled() {
    try (Stream<Path> files = Files.list(passing)) {
      return files.mapToLong(RelaySpoolTest::size).sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (NoSuchFileException e) {
      return 0; // it has been taken
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void awaitSpooled(long bytes) {
    await("bytes in the spool").atMost(DEADLINE).until(() -> spooled() >= bytes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "udt,tcp"})
  void theSpoolTakesWhatTheServersPartDoesNotTakeYet(String transport) throws Exception {
    int port = network(server, false);
    RunningCommand copy =
        lab.start(lab.root(), push(relay, port, "--transport", transport, "--explain"));
    awaitSpooled(3 * MIB);
    assertThat(Arrived.in(target).total()).as("little has passed").isLessThan(2 * HELD_FROM);
    assertThat(metric("fdt_spool_passing_bytes")).isGreaterThanOrEqualTo(3.0 * MIB);
    assertThat(metric("fdt_spool_limit_bytes")).isEqualTo(1L << 30);
    assertThat(metric("fdt_spool_files_bytes")).isZero();

    goOn.countDown();

    Outcome outcome = copy.end().expect(0);
    assertThat(outcome.err()).containsPattern("relay 127.0.0.1:\\d+: .*, held up to [0-9.]+ MiB");
    Tree.assertSame(target, source);
    await("no file left").atMost(DEADLINE).until(() -> spooled() == 0);
  }

  @Test
  void theSpoolTakesWhatTheClientsPartDoesNotTakeYet() throws Exception {
    int port = network(relay, true);
    RunningCommand copy =
        lab.start(
            lab.root(),
            "copy",
            "-r",
            "-P",
            "1",
            "--via",
            "127.0.0.1:" + port,
            "fdt://127.0.0.1:" + server.port() + "/source/",
            "pulled");
    awaitSpooled(3 * MIB);

    goOn.countDown();

    copy.end().expect(0);
    Tree.assertSame(lab.root().resolve("pulled"), source);
    await("no file left").atMost(DEADLINE).until(() -> spooled() == 0);
  }

  /** The sender hears of a stream that was lost, and sends its blocks again. */
  @Test
  void whatTheDiskChangesNeverArrives() throws Exception {
    int port = network(server, false);
    RunningCommand copy = lab.start(lab.root(), push(relay, port));
    awaitSpooled(3 * MIB);
    flipEverySomeBytes();

    goOn.countDown();

    copy.end().expect(0);
    Tree.assertSame(target, source);
    assertThat(relay.err()).containsPattern("relayed connection closed .*is damaged at byte");
    await("no file left").atMost(DEADLINE).until(() -> spooled() == 0);
  }

  private void flipEverySomeBytes() throws IOException {
    try (Stream<Path> files = Files.list(passing)) {
      for (Path path : files.toList()) {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
          for (long at = 0; at < file.length(); at += 100_000) {
            file.seek(at);
            int value = file.read();
            file.seek(at);
            file.write(value ^ 0x10);
          }
        }
      }
    }
  }

  /** What was in its spool is sent again, by the same command; its files go at its start. */
  @Test
  void aRelayThatDiesLosesWhatItsSpoolHeldAndNoMore() throws Exception {
    String[] words = {
      "--relay", "--spool", "other:1G", "--export", "e=" + lab.directory("empty"), "--port", "0"
    };
    CommandProcess first = lab.serveProcess(words);
    passing = lab.root().resolve("other/passing");
    RunningCommand copy = lab.start(lab.root(), push(first, network(server, false)));
    awaitSpooled(3 * MIB);

    first.kill();
    assertThat(spooled()).as("left by the one that died").isPositive();
    words[words.length - 1] = Integer.toString(first.port());
    lab.serveProcess(words);
    assertThat(size(passing.resolve("1"))).as("its first file").isZero();
    goOn.countDown();

    copy.end().expect(0);
    Tree.assertSame(target, source);
    await("no file left").atMost(DEADLINE).until(() -> spooled() == 0);
  }

  /** What the spool holds of a source that has died is at the destination before its next try. */
  @Test
  void whatTheSpoolHoldsOfASourceThatDiedArrives() throws Exception {
    lab.leavesUnfinishedFiles();
    int port = network(server, false);
    CommandProcess copy = lab.startProcess(lab.root(), push(relay, port));
    awaitSpooled(3 * MIB);
    long before = Arrived.in(target).kept();

    copy.kill();
    goOn.countDown();

    await("the spool is in the journal")
        .atMost(DEADLINE)
        .until(() -> Arrived.in(target).kept() >= before + 3 * MIB);
    Outcome again = lab.runProcess(lab.root(), push(relay, port, "--json")).expect(0);
    Tree.assertSame(target, source);
    long sent = JsonLines.of(JsonLines.events(again), "summary").get(0).path("bytes").asLong();
    assertThat(sent).as("sent again").isLessThanOrEqualTo(FILE - before - 3L * MIB);
  }
}
