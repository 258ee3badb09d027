package io.fdt.e2e.thirdparty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.fdt.client.DeletedName;
import io.fdt.client.DoneFile;
import io.fdt.client.FdtClient;
import io.fdt.client.FileProblem;
import io.fdt.client.ServerTrust;
import io.fdt.client.Transfer;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.Checksum;
import io.fdt.core.tuning.Observation;
import io.fdt.core.unit.BitRate;
import io.fdt.e2e.Content;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import io.fdt.server.FdtServerBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Transfers between two servers that a client directs. */
@Execution(ExecutionMode.CONCURRENT)
class ThirdPartyTest {
  private static final int MIB = 1 << 20;
  private static final int DEADLINE_SECONDS = 60;

  @TempDir private Path root;

  private final List<AutoCloseable> open = new ArrayList<>();
  private final Heard heard = new Heard();
  private Path data;
  private Path incoming;

  /** What a listener was told. */
  private static final class Heard implements TransferListener {
    final Queue<String> notices = new ConcurrentLinkedQueue<>();
    final Queue<String> files = new ConcurrentLinkedQueue<>();
    final Queue<String> deleted = new ConcurrentLinkedQueue<>();
    final Queue<FileProblem> problems = new ConcurrentLinkedQueue<>();
    final Queue<Observation> observations = new ConcurrentLinkedQueue<>();

    @Override
    public void observed(Observation seen) {
      observations.add(seen);
    }

    @Override
    public void notice(String message) {
      notices.add(message);
    }

    @Override
    public void fileDone(DoneFile file) {
      files.add(file.path() + " " + file.size() + " " + file.digest().length());
    }

    @Override
    public void deleted(DeletedName name) {
      deleted.add(name.path());
    }

    @Override
    public void problem(FileProblem problem) {
      problems.add(problem);
    }
  }

  @BeforeEach
  void makeData() throws Exception {
    data = Files.createDirectories(root.resolve("data"));
    incoming = Files.createDirectories(root.resolve("incoming"));
    Content.write(data.resolve("run/large"), 16 * MIB, 1);
    for (int i = 0; i < 200; i++) {
      Content.write(data.resolve("run/sub/small" + i), 100 + i, i);
    }
    Shell.run(data, "mkdir run/empty; ln -s large run/link; chmod 640 run/large");
  }

  @AfterEach
  void closeEverything() throws Exception {
    for (AutoCloseable closeable : open) {
      closeable.close();
    }
  }

  /** Everything is closed at the end; then no thread of the library is left. */
  @AfterAll
  static void noThreadIsLeft() {
    await("threads that end")
        .atMost(20, TimeUnit.SECONDS)
        .untilAsserted(
            () ->
                assertThat(Thread.getAllStackTraces().keySet().stream().map(Thread::getName))
                    .noneMatch(name -> name.startsWith("fdt-")));
  }

  private FdtServer serve(Export export, UnaryOperator<FdtServerBuilder> options) throws Exception {
    FdtServer server =
        options.apply(FdtServer.builder().export(export).bind("127.0.0.1").port(0)).build();
    open.add(server);
    server.start();
    return server;
  }

  private FdtServer source() throws Exception {
    return serve(Export.readOnly("data", data), builder -> builder);
  }

  private FdtServer destination() throws Exception {
    return serve(Export.readWrite("inc", incoming), builder -> builder);
  }

  private FdtClient client(FdtServer server) {
    FdtClient client =
        FdtClient.builder("127.0.0.1")
            .port(server.address().getPort())
            .retryTimeout(Duration.ofSeconds(30))
            .build();
    open.add(0, client);
    return client;
  }

  private static TransferRequest.Builder request() {
    return TransferRequest.between().source("/data/run").destination("/inc").recursive(true);
  }

  private TransferReport transfer(FdtServer from, FdtServer to, TransferRequest.Builder request)
      throws Exception {
    return client(from)
        .start(client(to), request.build(), heard)
        .completion()
        .get(DEADLINE_SECONDS, TimeUnit.SECONDS);
  }

  private static void assertDone(TransferReport report) {
    assertThat(report.failureMessage()).isEmpty();
    assertThat(report.problems()).isEmpty();
    assertThat(report.exitStatus()).isZero();
  }

  @Test
  void aTreeGoesFromServerToServerAndASecondRunMovesNothing() throws Exception {
    FdtServer from = source();
    FdtServer to = destination();

    TransferReport first = transfer(from, to, request().streams(3));

    assertDone(first);
    assertThat(first.figures().files().done()).isEqualTo(201);
    assertThat(first.figures().links()).isEqualTo(1);
    assertThat(first.figures().bytesDone()).isGreaterThan(16 * MIB);
    assertThat(first.figures().wireBytes())
        .isBetween(first.figures().bytesDone(), first.figures().bytesDone() * 102 / 100);
    Tree.assertSame(incoming.resolve("run"), data.resolve("run"));
    assertThat(heard.files).hasSize(201).anyMatch(file -> file.endsWith("run/large 16777216 8"));
    assertThat(heard.notices).as("nothing out of the ordinary").isEmpty();

    TransferReport second = transfer(from, to, request());
    assertDone(second);
    assertThat(second.figures().files().unchanged()).isEqualTo(201);
    assertThat(second.figures().bytesDone()).isZero();
  }

  @Test
  void theDestinationDialsWhereTheSourceMayNot() throws Exception {
    FdtServer from = serve(Export.readOnly("data", data), builder -> builder.dialTo(List.of()));

    assertDone(transfer(from, destination(), request()));

    Tree.assertSame(incoming.resolve("run"), data.resolve("run"));
    assertThat(heard.notices)
        .anyMatch(notice -> notice.contains("because the reverse direction fails"));
  }

  @Test
  void aServerThatDoesNotReachItselfSaysSoOnce() throws Exception {
    FdtServer one = serve(Export.readWrite("data", data), builder -> builder.dialTo(List.of()));
    String name = "127.0.0.1:" + one.address().getPort();

    TransferReport report = transfer(one, one, request());

    assertThat(report.failure()).contains(ErrorCode.FORBIDDEN);
    assertThat(report.failureMessage())
        .startsWith(name + " does not reach " + name + ": ")
        .contains("FdtServer.dialTo")
        .doesNotContain("neither");
  }

  @Test
  void whereNeitherServerReachesTheOtherBothReasonsAreTold() throws Exception {
    FdtServer from = serve(Export.readOnly("data", data), builder -> builder.dialTo(List.of()));
    FdtServer to = serve(Export.readWrite("inc", incoming), builder -> builder.dialTo(List.of()));

    TransferReport report = transfer(from, to, request());

    assertThat(report.failure()).contains(ErrorCode.FORBIDDEN);
    assertThat(report.failureMessage())
        .startsWith("neither server reaches the other")
        .contains("127.0.0.1:" + from.address().getPort())
        .contains("127.0.0.1:" + to.address().getPort())
        .contains("FdtServer.dialTo");
    assertThat(incoming).isEmptyDirectory();
  }

  @Test
  void aServerMayTakeNoPart() throws Exception {
    FdtServer to = serve(Export.readWrite("inc", incoming), builder -> builder.thirdParty(false));

    TransferReport report = transfer(source(), to, request());

    assertThat(report.failure()).contains(ErrorCode.FORBIDDEN);
    assertThat(report.failureMessage()).contains("FdtServer.thirdParty(false)");
    assertThat(incoming).isEmptyDirectory();
  }

  @Test
  void rightsAreThoseOfTheClientAtEachServer() throws Exception {
    FdtServer to = serve(Export.readOnly("inc", incoming), builder -> builder);

    TransferReport report = transfer(source(), to, request());

    assertThat(report.failure()).contains(ErrorCode.FORBIDDEN);
    assertThat(report.failureMessage()).contains("read-only");
    assertThat(incoming).isEmptyDirectory();

    TransferReport none =
        transfer(
            source(),
            destination(),
            TransferRequest.between().source("/elsewhere/x").destination("/inc"));
    assertThat(none.exitStatus()).isNotZero();
    assertThat(incoming).isEmptyDirectory();
  }

  @Test
  void oneServerCanBeBothEnds() throws Exception {
    FdtServer both =
        serve(
            Export.readOnly("data", data),
            builder -> builder.export(Export.readWrite("inc", incoming)));

    assertDone(transfer(both, both, request()));

    Tree.assertSame(incoming.resolve("run"), data.resolve("run"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void optionsOfATwoPartyCopyHold(boolean destinationDials) throws Exception {
    FdtServer from =
        serve(
            Export.readOnly("data", data),
            builder -> destinationDials ? builder.dialTo(List.of()) : builder);
    FdtServer to = destination();

    TransferReport dry = transfer(from, to, request().dryRun(true));
    assertDone(dry);
    assertThat(dry.figures().files().due()).isEqualTo(201);
    assertThat(dry.figures().bytesDue()).isGreaterThan(16 * MIB);
    assertThat(incoming).isEmptyDirectory();

    assertDone(transfer(from, to, request().checksum(Checksum.SHA256).verify(true).fsync(true)));
    Files.createDirectories(incoming.resolve("run/old"));
    Content.write(incoming.resolve("run/old/file"), 10, 1);
    Files.delete(data.resolve("run/sub/small7"));

    TransferReport mirror = transfer(from, to, request().delete(true));

    assertDone(mirror);
    assertThat(mirror.figures().deleted()).isEqualTo(3);
    assertThat(heard.deleted).hasSize(3);
    Tree.assertSame(incoming.resolve("run"), data.resolve("run"));
  }

  /** 16 MiB at 8 MB/s take two seconds; without the limit a tenth of that. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aLimitHoldsAndBothEndsAreSeenWhicheverServerDials(boolean destinationDials)
      throws Exception {
    FdtServer from =
        serve(
            Export.readOnly("data", data),
            builder -> destinationDials ? builder.dialTo(List.of()) : builder);

    TransferReport report =
        transfer(from, destination(), request().rateLimit(BitRate.parse("64Mbit/s")).monitor(true));

    assertDone(report);
    assertThat(report.elapsed()).isGreaterThan(Duration.ofMillis(1500));
    assertThat(heard.observations)
        .isNotEmpty()
        .allSatisfy(seen -> assertThat(seen.detail().orElseThrow().sender().isKnown()).isTrue())
        .anySatisfy(seen -> assertThat(seen.detail().orElseThrow().receiver().isKnown()).isTrue());
  }

  @Test
  void whatCannotBeReadIsAFailureOfThatFileOnly() throws Exception {
    TransferReport report =
        transfer(source(), destination(), request().source("/data/missing").destination("/inc"));

    assertThat(report.figures().files().done()).isEqualTo(201);
    assertThat(report.exitStatus()).isNotZero();
    assertThat(heard.problems).hasSize(1);
    assertThat(heard.problems.peek().path()).contains("missing");
    assertThat(heard.problems.peek().code()).isEqualTo(ErrorCode.NOT_FOUND);
  }

  @Test
  void aCancelledTransferEndsAtBothServersAndGoesOnLater() throws Exception {
    FdtServer from = source();
    FdtServer to = destination();
    TransferRequest slow = request().rateLimit(BitRate.parse("16Mbit/s")).build();
    Transfer transfer = client(from).start(client(to), slow, heard);
    await("data that flows")
        .atMost(DEADLINE_SECONDS, TimeUnit.SECONDS)
        .until(() -> transfer.progress().figures().bytesDone() > 5 * MIB);
    transfer.cancel();

    TransferReport report = transfer.completion().get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    assertThat(report.failure()).contains(ErrorCode.CANCELLED);
    assertThat(report.figures().bytesDone()).isGreaterThan(5 * MIB);

    TransferReport rest = transfer(from, to, request());
    assertDone(rest);
    assertThat(rest.figures().bytesKept()).isPositive();
    Tree.assertSame(incoming.resolve("run"), data.resolve("run"));
  }

  @Test
  void aServerThatWasRestartedIsContinuedWith() throws Exception {
    Path home = root.resolve("home");
    FdtServer from = source();
    FdtServer to = serve(Export.readWrite("inc", incoming), builder -> builder.home(home));
    int port = to.address().getPort();
    FdtClient toClient =
        FdtClient.builder("127.0.0.1")
            .port(port)
            .trust(ServerTrust.pinned(to.fingerprint()).withHome(home))
            .build();
    open.add(0, toClient);
    TransferRequest slow = request().rateLimit(BitRate.parse("32Mbit/s")).build();
    Transfer transfer = client(from).start(toClient, slow, heard);
    await("data that flows")
        .atMost(DEADLINE_SECONDS, TimeUnit.SECONDS)
        .until(() -> transfer.progress().figures().bytesDone() > 5 * MIB);
    to.close();
    FdtServer again =
        serve(Export.readWrite("inc", incoming), builder -> builder.home(home).port(port));

    TransferReport report = transfer.completion().get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    assertDone(report);
    assertThat(again.address().getPort()).isEqualTo(port);
    // Files whose results were lost with the server are there, and unchanged, the second time.
    assertThat(report.figures().files().done() + report.figures().files().unchanged())
        .isEqualTo(201);
    Tree.assertSame(incoming.resolve("run"), data.resolve("run"));
  }

  @Test
  void dataBetweenTheServersCanBeEncrypted() throws Exception {
    FdtServer from =
        serve(Export.readOnly("data", data), builder -> builder.requireEncryption(true));
    FdtServer to =
        serve(Export.readWrite("inc", incoming), builder -> builder.requireEncryption(true));
    assertThat(transfer(from, to, request()).failure()).contains(ErrorCode.FORBIDDEN);

    FdtClient encrypting =
        FdtClient.builder("127.0.0.1").port(from.address().getPort()).encryptData(true).build();
    open.add(0, encrypting);
    TransferReport report =
        encrypting
            .start(client(to), request().build(), heard)
            .completion()
            .get(DEADLINE_SECONDS, TimeUnit.SECONDS);

    assertDone(report);
    Tree.assertSame(incoming.resolve("run"), data.resolve("run"));
  }

  @Test
  void aRequestOfTwoPartiesIsNone() throws Exception {
    FdtClient client = client(source());
    TransferRequest pull = TransferRequest.pull().source("/data").destination("x").build();
    var wrong =
        catchThrowableOfType(
            IllegalArgumentException.class, () -> client.start(client, pull, heard));
    assertThat(wrong).hasMessageContaining("between()");
  }
}
