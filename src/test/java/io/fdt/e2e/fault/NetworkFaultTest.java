package io.fdt.e2e.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.client.FdtClient;
import io.fdt.client.ServerTrust;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.wire.FrameHeader;
import io.fdt.e2e.Arrived;
import io.fdt.e2e.CommandProcess;
import io.fdt.e2e.Content;
import io.fdt.e2e.FaultyNetwork;
import io.fdt.e2e.FaultyNetwork.Fault;
import io.fdt.e2e.FaultyNetwork.Plan;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Tree;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Networks that change bits, break connections, or stand still: the transfer arrives all the same.
 */
@Execution(ExecutionMode.CONCURRENT)
class NetworkFaultTest {
  private static final int BLOCK = 256 << 10;
  private static final int HEADER = FrameHeader.LENGTH;
  private static final String[] EXPORTS = {
    "--export", "sources", "--export", "copies:rw", "--anonymous", "rw"
  };
  private static final long SEED = Long.getLong("fdt.network.seed", 20261121);

  /** Enough for a report every five seconds and a busy machine. */
  private static final Duration SECONDS = Duration.ofSeconds(40);

  /**
   * Which end has the sources, and how many bytes its data streams carry before the first frame.
   */
  enum Way {
    /** The server's preface and its answer to the join. */
    PULL(16 + 4),
    /** The client's preface and its join. */
    PUSH(16 + 52);

    final int framesAt;

    Way(int framesAt) {
      this.framesAt = framesAt;
    }

    boolean isData(boolean toClient) {
      return toClient == (this == PULL);
    }
  }

  @RegisterExtension final Lab lab = new Lab();

  private final List<AutoCloseable> open = new ArrayList<>();
  private final SplittableRandom random = new SplittableRandom(SEED);
  private final AtomicInteger flips = new AtomicInteger();
  private Path source;
  private Path copy;
  private RunningCommand server;

  /**
   * No file is small enough for a pack, and each is of whole blocks, so that the place of each
   * header is known.
   */
  @BeforeEach
  void serve() {
    System.out.println("seed " + SEED);
    source = lab.directory("sources/data");
    Content.write(source.resolve("large"), 16 << 20, 1);
    Content.write(source.resolve("d/medium"), 3 << 20, 2);
    copy = lab.directory("copies").resolve("data");
    server = lab.serve(EXPORTS);
  }

  /** Has a server that can be stopped by a signal take the place of the other one. */
  private CommandProcess serveProcess() {
    server.stop();
    CommandProcess process = lab.serveProcess(EXPORTS);
    server = process;
    return process;
  }

  @AfterEach
  void closeEverything() throws Exception {
    for (AutoCloseable closeable : open) {
      closeable.close();
    }
  }

  private FaultyNetwork network(Plan plan) {
    FaultyNetwork network = new FaultyNetwork(server.port(), plan);
    open.add(network);
    return network;
  }

  private RunningCommand start(Way way, int port, String... options) {
    return lab.start(lab.root(), words(way, port, options));
  }

  private static String[] words(Way way, int port, String... options) {
    List<String> words =
        new ArrayList<>(List.of("-c", "127.0.0.1", "-p", Integer.toString(port), "-r"));
    words.addAll(List.of("-bs", Integer.toString(BLOCK)));
    words.addAll(List.of(options));
    words.addAll(
        way == Way.PULL
            ? List.of("-pull", "-d", "copies", "/sources/data")
            : List.of("-d", "/copies", "sources/data"));
    return words.toArray(String[]::new);
  }

  /**
   * One bit of each data stream, in its direction of data, at this offset behind the first frame.
   */
  private Plan flip(Way way, long least, long most) {
    return (data, number) -> {
      if (!data) {
        return Fault.NONE;
      }
      long at;
      synchronized (random) {
        at = way.framesAt + random.nextLong(least, most);
      }
      return (bytes, count, offset, toClient) -> {
        if (way.isData(toClient) && offset <= at && at < offset + count) {
          bytes[(int) (at - offset)] ^= (byte) (1 << (at % 8));
          flips.incrementAndGet();
        }
        return true;
      };
    };
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aBitThatFlipsInABlockCostsThatBlockAndNoMore(Way way) {
    FaultyNetwork network = network(flip(way, HEADER, HEADER + BLOCK));

    Outcome outcome = start(way, network.port(), "-P", "3").end().expect(0);

    Tree.assertSame(copy, source);
    assertThat(flips.get()).isBetween(1, 3);
    assertThat(network.dataConnections()).as("no stream was given up").isEqualTo(3);
    // A client that sends may see its streams close before it hears that all is done, and begin
    // again.
    assertThat(outcome.summary())
        .contains(
            way == Way.PULL
                ? flips.get() + (flips.get() == 1 ? " block" : " blocks") + " sent again"
                : " sent again");
  }

  /**
   * Nobody knows then where the next frame begins: each stream carries one block, and is replaced.
   */
  @ParameterizedTest
  @EnumSource(Way.class)
  void aBitThatFlipsInAHeaderCostsTheStreamAndNotTheTransfer(Way way) {
    Content.write(source.resolve("large"), 5 << 20, 1); // with the other one: 32 blocks
    int second = HEADER + BLOCK;
    FaultyNetwork network = network(flip(way, second, second + HEADER));

    start(way, network.port(), "-P", "4").end().expect(0);

    Tree.assertSame(copy, source);
    assertThat(flips.get()).isGreaterThan(20);
    assertThat(network.dataConnections()).isGreaterThan(20);
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void connectionsThatAreResetAgainAndAgainLoseNothing(Way way) {
    AtomicReference<FaultyNetwork> made = new AtomicReference<>();
    FaultyNetwork network =
        network(
            (data, number) -> {
              if (!data && number >= 2) {
                return Fault.NONE;
              }
              if (data && (number == 6 || number == 12)) { // 76 blocks need 13 streams
                made.get().resetControl();
              }
              long most; // of control: beyond the TLS handshake, and little more
              synchronized (random) {
                most = data ? random.nextLong(BLOCK * 2, BLOCK * 6) : random.nextLong(2400, 3000);
              }
              return (bytes, count, offset, toClient) -> offset + count < most;
            });
    made.set(network);

    Outcome outcome = start(way, network.port(), "-P", "3").end().expect(0);

    Tree.assertSame(copy, source);
    assertThat(network.dataConnections()).isGreaterThan(10);
    assertThat(network.controlConnections()).as("control").isBetween(3, 5);
    assertThat(outcome.err()).contains("trying again").contains("is back");
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void oneStreamThatIsLeftCarriesTheRest(Way way) {
    CountDownLatch cut = new CountDownLatch(1);
    FaultyNetwork.Gate gate = new FaultyNetwork.Gate(4 << 20);
    FaultyNetwork network =
        network((data, number) -> data && cut.getCount() == 0 ? null : gate.of(data, number));
    RunningCommand client = start(way, network.port(), "-P", "4");
    gate.awaitHold();
    awaitDataConnections(network, 4);

    cut.countDown();
    long before = network.resetAllButOneStream();
    gate.open();

    client.end().expect(0);
    Tree.assertSame(copy, source);
    assertThat(network.refused()).as("streams that were dialled again").isPositive();
    assertThat(network.dataConnections()).isEqualTo(4);
    assertThat(network.bytesOfFirstStream() - before).isGreaterThan(8 << 20);
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void afterAnInterruptionEachStreamThatIsLostIsReplaced(Way way) {
    CountDownLatch goOn = new CountDownLatch(1);
    FaultyNetwork network = network(holdingData(goOn));
    RunningCommand client = start(way, network.port(), "-P", "4");
    awaitDataConnections(network, 4);
    Lab.awaitUnfinished(copy.getParent(), 1); // both ends know the session

    network.resetAll();
    awaitDataConnections(network, 4 + 4);
    network.resetLastStream();
    awaitDataConnections(network, 4 + 4 + 1);
    goOn.countDown();

    client.end().expect(0);
    Tree.assertSame(copy, source);
    assertThat(network.dataConnections()).isEqualTo(4 + 4 + 1);
  }

  private static void awaitDataConnections(FaultyNetwork network, int count) {
    await(count + " data streams").atMost(SECONDS).until(() -> network.dataConnections() == count);
  }

  @Test
  void serverThatStandsStillIsReportedAndGoesOnInBothDirections() {
    CommandProcess stopped = serveProcess();
    Path pulled = lab.directory("pulled");
    RunningCommand puller =
        lab.start(
            pulled,
            Lab.clientOf(server, "-limit", "32Mbit/s", "-r", "-pull", "-d", ".", "/sources/data"));
    RunningCommand pusher = start(Way.PUSH, server.port(), "-limit", "32Mbit/s");
    await("both have begun")
        .atMost(SECONDS)
        .until(() -> Arrived.in(pulled).kept() > 0 && Arrived.in(copy).kept() > 0);

    stopped.signal("STOP");
    try {
      for (RunningCommand client : List.of(puller, pusher)) {
        await("the client reports the stall while it lasts")
            .atMost(SECONDS)
            .until(() -> client.err().contains("no data for "));
        assertThat(client.isAlive()).isTrue();
      }
    } finally {
      stopped.signal("CONT");
    }

    puller.end().expect(0);
    pusher.end().expect(0);
    Tree.assertSame(pulled.resolve("data"), source);
    Tree.assertSame(copy, source);
  }

  @Test
  void clientThatStoodStillGoesOn() {
    String[] words = words(Way.PULL, server.port(), "-limit", "32Mbit/s");
    CommandProcess client = lab.startProcess(lab.root(), words);
    Lab.awaitUnfinished(copy.getParent(), 1);
    client.signal("STOP");
    try {
      await("the server tells its log of the stall while it lasts")
          .atMost(SECONDS)
          .until(() -> server.err().contains("session stalled"));
    } finally {
      client.signal("CONT");
    }

    client.end().expect(0);
    Tree.assertSame(copy, source);
  }

  /** Control goes on: the peer is alive, and no data comes before it may. */
  private static Plan holdingData(CountDownLatch goOn) {
    return (data, number) ->
        (bytes, count, offset, toClient) -> {
          if (data && offset + count > 2 * BLOCK) {
            goOn.await();
          }
          return true;
        };
  }

  @Test
  void clientGivesUpWhatDoesNotMoveUntilItsDeadline() throws Exception {
    lab.leavesUnfinishedFiles();
    FaultyNetwork network = network(holdingData(new CountDownLatch(1)));
    FdtClient client =
        FdtClient.builder("127.0.0.1")
            .port(network.port())
            .trust(
                ServerTrust.knownHosts(lab.root().resolve("home"), ServerTrust.FirstContact.REFUSE))
            .stallTimeout(Duration.ofSeconds(2))
            .build();
    open.add(client);

    TransferReport report =
        client
            .start(
                TransferRequest.pull()
                    .source("/sources/data")
                    .destination(copy.getParent())
                    .recursive(true)
                    .build(),
                TransferListener.NONE)
            .completion()
            .get(SECONDS.toSeconds(), TimeUnit.SECONDS);

    assertThat(report.failure()).contains(ErrorCode.TIMEOUT);
    assertThat(report.failureMessage()).isEqualTo("no data moved for 2 s; gave up");
    assertThat(report.elapsed()).isGreaterThan(Duration.ofSeconds(2));
  }

  @Test
  void serverGivesUpWhatDoesNotMoveAndItsClientHearsOfIt() throws Exception {
    lab.leavesUnfinishedFiles();
    FdtServer impatient =
        FdtServer.builder()
            .bind("127.0.0.1")
            .port(0)
            .home(lab.root().resolve("home"))
            .anonymous(Export.Access.READ_ONLY)
            .export(Export.readOnly("sources", source.getParent()))
            .stallTimeout(Duration.ofSeconds(2))
            .build();
    open.add(impatient);
    impatient.start();
    FaultyNetwork network =
        new FaultyNetwork(impatient.address().getPort(), holdingData(new CountDownLatch(1)));
    open.add(network);

    Outcome outcome = start(Way.PULL, network.port()).end(SECONDS);

    assertThat(outcome.status()).isEqualTo(ErrorCode.TIMEOUT.exitStatus());
    assertThat(outcome.problems())
        .singleElement()
        .asString()
        .contains("no data moved for 2 s; gave up");
  }
}
