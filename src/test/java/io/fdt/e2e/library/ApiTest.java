package io.fdt.e2e.library;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fdt.client.AccessToken;
import io.fdt.client.FdtClient;
import io.fdt.client.FileProblem;
import io.fdt.client.NettestRequest;
import io.fdt.client.RemoteFile;
import io.fdt.client.ServerTrust;
import io.fdt.client.Transfer;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferProgress;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.unit.BitRate;
import io.fdt.core.unit.ByteSize;
import io.fdt.e2e.CommandProcess;
import io.fdt.e2e.Content;
import io.fdt.e2e.FaultyNetwork;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What a Java program gets from the library, in one JVM. */
@Execution(ExecutionMode.CONCURRENT)
class ApiTest {
  private static final int MIB = 1 << 20;
  private static final int DEADLINE_SECONDS = 60;

  @RegisterExtension final Lab lab = new Lab();

  private final List<AutoCloseable> open = new ArrayList<>();
  private Path data;

  @BeforeEach
  void makeData() {
    data = lab.directory("data");
    Content.write(data.resolve("large"), 16 * MIB, 1);
    Content.write(data.resolve("sub/small"), 100, 2);
    Shell.run(data, "mkdir empty; ln -s large link");
  }

  /** Everything is closed at the end; then no thread of the library is left. */
  @AfterEach
  void closeEverything() throws Exception {
    for (AutoCloseable closeable : open) {
      closeable.close();
    }
    await("threads that end")
        .atMost(20, TimeUnit.SECONDS)
        .untilAsserted(
            () ->
                assertThat(Thread.getAllStackTraces().keySet().stream().map(Thread::getName))
                    .noneMatch(name -> name.startsWith("fdt-")));
  }

  @Test
  void twoServersAndTenClientsWorkInOneProgram() throws Exception {
    FdtServer[] servers = {start("data", data), start("data", data)};
    List<Transfer> transfers = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      transfers.add(client(servers[i % 2]).start(pullTo("copy" + i), TransferListener.NONE));
    }
    for (int i = 0; i < 10; i++) {
      TransferReport report = transfers.get(i).await();

      assertThat(report.exitStatus()).isZero();
      assertThat(report.figures().files().done()).isEqualTo(2);
      assertThat(report.figures().bytesDone()).isEqualTo(16 * MIB + 100);
      Tree.assertSame(lab.root().resolve("copy" + i + "/data"), data);
    }
  }

  @Test
  void onlyFdtUrisWithAHostNameAServer() {
    for (String wrong : List.of("http://host/", "fdt:/path", "host")) {
      assertThatThrownBy(() -> FdtClient.builder(URI.create(wrong)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(wrong);
    }
  }

  @Test
  void oneClientRunsSeveralTransfersAtOnce() throws Exception {
    FdtClient client = client(start("data", data));
    Transfer first = client.start(pullTo("one"), TransferListener.NONE);
    Transfer second = client.start(pullTo("two"), TransferListener.NONE);

    assertThat(first.await().sessionId()).isNotEqualTo(second.await().sessionId());
    Tree.assertSame(lab.root().resolve("one/data"), data);
    Tree.assertSame(lab.root().resolve("two/data"), data);
  }

  @Test
  void reportCountsWhatHappenedAndTheWireCarriesLittleElse() throws Exception {
    FdtClient client = client(start("data", data));

    TransferReport first = client.start(pullTo("copy"), TransferListener.NONE).await();
    TransferReport second = client.start(pullTo("copy"), TransferListener.NONE).await();

    assertThat(first.figures().links()).isEqualTo(1);
    assertThat(first.figures().directories()).isEqualTo(3);
    assertThat(first.figures().blocksRepeated()).isZero();
    assertThat(first.figures().wireBytes())
        .isBetween(first.figures().bytesDone(), first.figures().bytesDone() * 102 / 100);
    assertThat(second.figures().bytesDone()).isZero();
    assertThat(second.figures().files().done()).isZero();
    assertThat(second.figures().files().unchanged()).isEqualTo(2);
    assertThat(second.exitStatus()).isZero();
  }

  /** The command shows the option in its place: {@code --delete-from-empty}. */
  @Test
  void aMessageAdvisesWhatAProgramSets() throws Exception {
    FdtClient client = client(start("empty", lab.directory("empty")));
    TransferRequest request =
        TransferRequest.pull()
            .source("/empty/")
            .destination(data)
            .recursive(true)
            .delete(true)
            .build();

    TransferReport report = client.start(request, TransferListener.NONE).await();

    assertThat(report.refusedDeletion()).contains(ErrorCode.SOURCE_EMPTY);
    assertThat(report.problems())
        .singleElement()
        .extracting(FileProblem::message)
        .asString()
        .contains("add TransferRequest.deleteFromEmpty(true)")
        .doesNotContain("--");
  }

  @Test
  void progressGrowsToTheWhole() throws Exception {
    FdtServer server = start("data", data);
    FaultyNetwork.Gate gate = new FaultyNetwork.Gate(8 * MIB);
    FaultyNetwork network = new FaultyNetwork(server.address().getPort(), gate);
    open.add(network);
    FdtClient client =
        FdtClient.builder("127.0.0.1")
            .port(network.port())
            .trust(ServerTrust.pinned(server.fingerprint()))
            .token(AccessToken.of(server.localToken()))
            .build();
    open.add(0, client);
    Transfer transfer = client.start(pullTo("copy"), TransferListener.NONE);

    TransferProgress middle =
        await("the middle")
            .atMost(DEADLINE_SECONDS, TimeUnit.SECONDS)
            .until(
                transfer::progress,
                p ->
                    p.figures().bytesDone() > 0
                        && p.figures().totalsAreFinal()
                        && p.streams() == 4);
    gate.open();
    transfer.await();
    TransferProgress end = transfer.progress();

    assertThat(middle.figures().bytesDone()).isLessThan(middle.figures().bytesTotal());
    assertThat(end.figures().bytesDone())
        .isEqualTo(end.figures().bytesTotal())
        .isEqualTo(16 * MIB + 100);
    assertThat(end.figures().files().done()).isEqualTo(end.figures().files().total()).isEqualTo(2);
  }

  @Test
  void cancelledTransferEndsSoonAndTheNextOneGoesOn() throws Exception {
    FdtClient client = client(start("data", data));
    TransferRequest slow = pull("copy").rateLimit(BitRate.parse("16Mbit/s")).build();
    Transfer transfer = client.start(slow, TransferListener.NONE);
    Lab.awaitUnfinished(lab.directory("copy"), 2);

    transfer.cancel();

    TransferReport report = transfer.completion().get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    assertThat(report.failure()).contains(ErrorCode.CANCELLED);
    assertThat(lab.root().resolve("copy/data/large")).doesNotExist();
    assertThatThrownBy(transfer::await).isInstanceOf(FdtException.class);
    TransferReport next = client.start(pullTo("copy"), TransferListener.NONE).await();
    assertThat(next.figures().bytesKept()).isGreaterThanOrEqualTo(MIB);
    assertThat(next.figures().bytesDone() + next.figures().bytesKept())
        .isBetween(16L * MIB, 16L * MIB + 100);
    Tree.assertSame(lab.root().resolve("copy/data"), data);
  }

  @Test
  void serverThatHangsIsGivenUpWhenBothTimeoutsHavePassed() throws Exception {
    TransferReport report = reportAfter("STOP", Duration.ofSeconds(3), Duration.ofSeconds(3));

    assertThat(report.failure().orElseThrow().exitStatus()).isEqualTo(3);
    assertThat(report.failureMessage()).contains("127.0.0.1");
  }

  @Test
  void serverThatDiesEndsATransferThatShallNotTryAgain() throws Exception {
    Duration idleTimeout = Duration.ofSeconds(60);
    TransferReport report = reportAfter("KILL", idleTimeout, Duration.ZERO);

    assertThat(report.failure()).contains(ErrorCode.UNREACHABLE);
    assertThat(report.failureMessage()).contains("127.0.0.1");
    assertThat(report.elapsed()).isLessThan(idleTimeout);
  }

  /** The report of a transfer whose server gets a signal in the middle. */
  private TransferReport reportAfter(String signal, Duration idleTimeout, Duration retryTimeout)
      throws Exception {
    lab.leavesUnfinishedFiles();
    CommandProcess server = lab.serveProcess("--export", "data", "--anonymous", "ro");
    Path home = lab.root().resolve("home");
    FdtClient client =
        FdtClient.builder("127.0.0.1")
            .port(server.port())
            .trust(ServerTrust.knownHosts(home, ServerTrust.FirstContact.REFUSE))
            .connectTimeout(Duration.ofSeconds(5))
            .idleTimeout(idleTimeout)
            .retryTimeout(retryTimeout)
            .build();
    open.add(client);
    TransferRequest slow = pull("copy").rateLimit(BitRate.parse("16Mbit/s")).build();
    Transfer transfer = client.start(slow, TransferListener.NONE);
    Lab.awaitUnfinished(lab.directory("copy"), 2);

    server.signal(signal);

    return transfer.completion().get(DEADLINE_SECONDS, TimeUnit.SECONDS);
  }

  @Test
  void problemsAreHeardAndReported() throws Exception {
    FdtClient client = client(start("data", data));
    List<String> heard = new java.util.concurrent.CopyOnWriteArrayList<>();
    TransferRequest request = pull("copy").source("/data/none").build();

    TransferReport report = client.start(request, problem -> heard.add(problem.path())).await();

    assertThat(report.exitStatus()).isEqualTo(1);
    assertThat(report.figures().files().failed()).isEqualTo(1);
    assertThat(report.problems()).singleElement().extracting("code").isEqualTo(ErrorCode.NOT_FOUND);
    assertThat(heard).containsExactly("/data/none");
    Tree.assertSame(lab.root().resolve("copy/data"), data);
  }

  @Test
  void listsDirectories() throws Exception {
    FdtClient client = client(start("data", data));

    List<RemoteFile> files = client.list(BytePath.of("/data"));

    assertThat(files.stream().map(file -> file.name().toString()))
        .containsExactly("empty", "large", "link", "sub");
    assertThat(files.get(1).size()).isEqualTo(16 * MIB);
    assertThatThrownBy(() -> client.list(BytePath.of("/data/none")))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND));
  }

  @Test
  void networkTestEndsByItself() throws Exception {
    FdtClient client = client(start("data", data));
    NettestRequest request =
        new NettestRequest(
            TransferRequest.Direction.PULL,
            2,
            Duration.ofSeconds(1),
            ByteSize.ofBytes(MIB),
            ByteSize.ofBytes(0));

    TransferReport report = client.start(request).await();

    assertThat(report.figures().bytesDone()).isPositive();
    assertThat(report.elapsed()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(10));
  }

  /** With a long round trip, it would be a good part of a short test. */
  @Test
  void networkTestDoesNotCountTheTimeToConnect() throws Exception {
    Duration connecting = Duration.ofSeconds(4);
    FdtServer server = start("data", data);
    FaultyNetwork.Fault late =
        (bytes, count, offset, toClient) -> {
          if (toClient && offset == 0) {
            Thread.sleep(connecting.toMillis());
          }
          return true;
        };
    FaultyNetwork.Plan plan = (isData, number) -> isData ? FaultyNetwork.Fault.NONE : late;
    try (FaultyNetwork network = new FaultyNetwork(server.address().getPort(), plan);
        FdtClient client = FdtClient.builder("127.0.0.1").port(network.port()).build()) {
      NettestRequest request =
          new NettestRequest(
              TransferRequest.Direction.PUSH,
              2,
              Duration.ofSeconds(1),
              ByteSize.ofBytes(MIB),
              ByteSize.ofBytes(0));

      TransferReport report = client.start(request).await();

      assertThat(report.figures().bytesDone()).isPositive();
      assertThat(report.elapsed()).isBetween(Duration.ofSeconds(1), connecting);
    }
  }

  @Test
  void closedServerEndsItsTransfers() throws Exception {
    lab.leavesUnfinishedFiles();
    FdtServer server = start("data", data);
    TransferRequest slow = pull("copy").rateLimit(BitRate.parse("1Mbit/s")).build();
    FdtClient impatient =
        FdtClient.builder("127.0.0.1")
            .port(server.address().getPort())
            .retryTimeout(Duration.ZERO) // otherwise it waits for the server to come back
            .build();
    open.add(impatient);
    Transfer transfer = impatient.start(slow, TransferListener.NONE);
    Lab.awaitUnfinished(lab.directory("copy"), 1);

    server.close();

    assertThat(server.stopped()).isDone();
    TransferReport report = transfer.completion().get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    assertThat(report.failure()).contains(ErrorCode.SHUTTING_DOWN);
  }

  private FdtServer start(String name, Path directory) throws FdtException {
    FdtServer server =
        FdtServer.builder()
            .port(0)
            .bind("127.0.0.1")
            .export(Export.readOnly(name, directory))
            .build();
    open.add(server);
    server.start();
    return server;
  }

  private FdtClient client(FdtServer server) {
    URI address = URI.create("fdt://127.0.0.1:" + server.address().getPort() + "/");
    FdtClient client = FdtClient.builder(address).build();
    open.add(0, client);
    return client;
  }

  private TransferRequest pullTo(String destination) {
    return pull(destination).build();
  }

  private TransferRequest.Builder pull(String destination) {
    return TransferRequest.pull()
        .source("/data")
        .destination(lab.root().resolve(destination))
        .destinationIsDirectory(true)
        .recursive(true);
  }
}
