package io.fdt.e2e.restart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.fdt.client.AccessToken;
import io.fdt.client.AttachedTransfer;
import io.fdt.client.DetachedTransfer;
import io.fdt.client.Detachment;
import io.fdt.client.DoneFile;
import io.fdt.client.FdtClient;
import io.fdt.client.FileProblem;
import io.fdt.client.RemoteSession;
import io.fdt.client.ServerTrust;
import io.fdt.client.Transfer;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Grant;
import io.fdt.core.model.RelayGrant;
import io.fdt.core.unit.BitRate;
import io.fdt.e2e.Content;
import io.fdt.e2e.FaultyNetwork;
import io.fdt.e2e.Tree;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import io.fdt.server.FdtServerBuilder;
import io.fdt.server.NamedTokens;
import io.fdt.server.ServerLimits;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Transfers between two servers whose client leaves, comes back, or is lost. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class DetachedTest {
  private static final int MIB = 1 << 20;
  private static final int DEADLINE_SECONDS = 60;

  @TempDir private Path root;

  private final List<AutoCloseable> open = new ArrayList<>();
  private final Heard heard = new Heard();
  private Path data;
  private Path incoming;
  private FdtServer from;
  private FdtServer to;

  /** What a listener was told. */
  private static final class Heard implements TransferListener {
    final Queue<String> notices = new ConcurrentLinkedQueue<>();
    final Queue<String> files = new ConcurrentLinkedQueue<>();
    final Queue<FileProblem> problems = new ConcurrentLinkedQueue<>();

    @Override
    public void notice(String message) {
      notices.add(message);
    }

    @Override
    public void fileDone(DoneFile file) {
      files.add(file.path());
    }

    @Override
    public void problem(FileProblem problem) {
      problems.add(problem);
    }
  }

  @BeforeEach
  void start() throws Exception {
    data = Files.createDirectories(root.resolve("data"));
    incoming = Files.createDirectories(root.resolve("incoming"));
    Content.write(data.resolve("run/large"), 16 * MIB, 1);
    for (int i = 0; i < 50; i++) {
      Content.write(data.resolve("run/sub/small" + i), 100 + i, i);
    }
    from = serve(root.resolve("a"), Export.readOnly("data", data), builder -> builder);
    to = serve(root.resolve("b"), Export.readWrite("inc", incoming), builder -> builder);
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

  private FdtServer serve(Path home, Export export, UnaryOperator<FdtServerBuilder> options)
      throws Exception {
    FdtServer server =
        options
            .apply(FdtServer.builder().export(export).bind("127.0.0.1").port(0).home(home))
            .build();
    open.add(server);
    server.start();
    return server;
  }

  private FdtClient client(FdtServer server) {
    return client(server, builder -> builder);
  }

  private FdtClient client(FdtServer server, UnaryOperator<FdtClient.Builder> options) {
    FdtClient client =
        options
            .apply(
                FdtClient.builder("127.0.0.1")
                    .port(server.address().getPort())
                    .trust(ServerTrust.pinned(server.fingerprint()))
                    .token(AccessToken.of(server.localToken()))
                    .retryTimeout(Duration.ofSeconds(30)))
            .build();
    open.add(0, client);
    return client;
  }

  private FdtClient clientWith(FdtServer server, String token) {
    return client(server, builder -> builder.token(AccessToken.of(token)));
  }

  private static String token(Path home, String name) throws Exception {
    return NamedTokens.ofHome(home)
        .create(
            new Grant(
                name,
                Instant.now(),
                Optional.empty(),
                false,
                Set.of(),
                List.of(),
                true,
                false,
                RelayGrant.UNLIMITED));
  }

  private static TransferRequest.Builder request() {
    return TransferRequest.between()
        .source("/data/run")
        .destination("/inc")
        .recursive(true)
        .command("fdt copy -r A B");
  }

  /** Two to eight seconds of it. */
  private static TransferRequest slow() {
    return slow("32Mbit/s");
  }

  private static TransferRequest slow(String rate) {
    return request().rateLimit(BitRate.parse(rate)).build();
  }

  private DetachedTransfer leave(TransferRequest request) throws Exception {
    try (FdtClient source = client(from);
        FdtClient destination = client(to)) {
      return source
          .startDetached(destination, request, TransferListener.NONE)
          .completion()
          .get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }
  }

  private static TransferReport end(Transfer transfer) throws Exception {
    return transfer.completion().get(DEADLINE_SECONDS, TimeUnit.SECONDS);
  }

  private static void awaitBytes(Transfer transfer, long bytes) {
    await("data that flows")
        .atMost(DEADLINE_SECONDS, TimeUnit.SECONDS)
        .until(
            () -> {
              boolean moved = transfer.progress().figures().bytesDone() > bytes;
              assertThat(moved || !transfer.completion().isDone())
                  .as(() -> "ended too early: " + transfer.completion().join().failureMessage())
                  .isTrue();
              return moved;
            });
  }

  private static ErrorCode refusal(FdtClient client, String id) throws Exception {
    AttachedTransfer attached = client.attach(id, TransferListener.NONE);
    TransferReport report = end(attached);
    assertThat(attached.session()).isCompletedExceptionally();
    return report.failure().orElseThrow();
  }

  private void assertArrived() {
    Tree.assertSame(incoming.resolve("run"), data.resolve("run"));
  }

  @Test
  void itGoesOnAloneAndWhoeverAttachesHearsTheRest() throws Exception {
    DetachedTransfer left = leave(slow());
    assertThat(left.atSource()).isTrue();
    assertThat(left.id()).hasSize(32);

    AttachedTransfer attached = client(from).attach(left.id().substring(0, 8), heard);

    RemoteSession session = attached.session().get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    assertThat(session.id()).isEqualTo(left.id());
    assertThat(session.isDetached()).isTrue();
    assertThat(session.request().isSender()).isTrue();
    assertThat(session.request().peer()).endsWith(":" + to.address().getPort());
    assertThat(session.request().sources()).containsExactly("/data/run");
    assertThat(session.request().destination()).isEqualTo("/inc");
    assertThat(session.request().command()).isEqualTo("fdt copy -r A B");
    TransferReport report = end(attached);
    assertThat(report.exitStatus()).isZero();
    assertThat(report.figures().files().done()).isEqualTo(51);
    assertThat(report.sessionId()).isEqualTo(session.shortId());
    assertThat(heard.files).anyMatch(file -> file.endsWith("large"));
    assertArrived();
  }

  @Test
  void oneThatHasEndedIsReportedWithItsProblems() throws Exception {
    DetachedTransfer left = leave(request().source("/data/missing").build());
    FdtClient client = client(from);
    await("its end")
        .atMost(DEADLINE_SECONDS, TimeUnit.SECONDS)
        .until(() -> client.sessions().get(0).hasEnded());

    TransferReport report = end(client.attach(left.id(), heard));

    assertThat(report.failure()).isEmpty();
    assertThat(report.exitStatus()).isEqualTo(1);
    assertThat(report.figures().files().done()).isEqualTo(51);
    assertThat(report.problems()).hasSize(1);
    assertThat(heard.problems).hasSize(1);
    assertThat(heard.problems.peek().path()).contains("missing");
    assertThat(end(client.attach(left.id(), heard)).exitStatus()).as("again").isEqualTo(1);
    assertThat(client.sessions())
        .singleElement()
        .satisfies(
            session -> {
              assertThat(session.state()).isEqualTo(RemoteSession.State.INCOMPLETE);
              assertThat(session.endedAgo()).isPresent();
              assertThat(session.request().owner()).isEqualTo("own");
            });
  }

  @Test
  void cancellingEndsItAtBothServersAndTheSameRequestGoesOn() throws Exception {
    DetachedTransfer left = leave(slow("16Mbit/s"));
    AttachedTransfer attached = client(from).attach(left.id(), heard);
    awaitBytes(attached, 5 * MIB);

    attached.cancel();

    assertThat(end(attached).failure()).contains(ErrorCode.CANCELLED);
    TransferReport rest = end(client(from).start(client(to), request().build(), heard));
    assertThat(rest.exitStatus()).isZero();
    assertThat(rest.figures().bytesKept()).isPositive();
    assertArrived();
  }

  @Test
  void leavingAnAttachedOneDoesNotEndIt() throws Exception {
    DetachedTransfer left = leave(slow());
    AttachedTransfer first = client(from).attach(left.id(), heard);
    awaitBytes(first, MIB);
    first.close();
    assertThat(end(first).failure()).contains(ErrorCode.CANCELLED);

    assertThat(end(client(from).attach(left.id(), heard)).exitStatus()).isZero();
    assertArrived();
  }

  /** As the client does when it is closed at once. */
  @Test
  void whatWasLeftIsNotCancelled() throws Exception {
    try (FdtClient source = client(from);
        FdtClient destination = client(to)) {
      Detachment detachment = source.startDetached(destination, slow(), TransferListener.NONE);
      CompletableFuture<DetachedTransfer> cancelled =
          detachment
              .completion()
              .whenComplete((left, failure) -> detachment.cancel()); // its connection is open still
      DetachedTransfer left = cancelled.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
      assertThat(end(client(from).attach(left.id(), heard)).exitStatus()).isZero();
    }
    assertArrived();
  }

  @Test
  void theLastLookKnowsTheIdAndMayStopTheTransfer() throws Exception {
    List<String> seen = new ArrayList<>();
    Detachment refused =
        client(from)
            .startDetached(
                client(to),
                slow(),
                TransferListener.NONE,
                (id, atSource) -> {
                  seen.add(id);
                  throw new FdtException(ErrorCode.IN_USE, "somebody else does it");
                });
    assertThat(
            catchThrowableOfType(
                    ExecutionException.class,
                    () -> refused.completion().get(DEADLINE_SECONDS, TimeUnit.SECONDS))
                .getCause())
        .hasMessage("somebody else does it");
    assertThat(client(from).sessions()).isEmpty();
    assertThat(incoming).isEmptyDirectory();

    Detachment detachment =
        client(from)
            .startDetached(
                client(to), slow(), TransferListener.NONE, (id, atSource) -> seen.add(id));
    String left = detachment.completion().get(DEADLINE_SECONDS, TimeUnit.SECONDS).id();
    assertThat(seen).hasSize(2).last().isEqualTo(left);
    assertThat(end(client(from).attach(left, heard)).exitStatus()).isZero();
  }

  @Test
  void severalClientsFollowOne() throws Exception {
    DetachedTransfer left = leave(slow());
    AttachedTransfer first = client(from).attach(left.id(), heard);
    AttachedTransfer second = client(from).attach(left.id(), TransferListener.NONE);

    assertThat(end(first).figures().files().done()).isEqualTo(51);
    assertThat(end(second).figures().files().done()).isEqualTo(51);
  }

  @Test
  void noMoreThanSixteenClientsFollowOne() throws Exception {
    String id = leave(slow("8Mbit/s")).id();
    FdtClient client = client(from);
    for (int number = 1; number <= 16; number++) {
      assertThat(client.attach(id, TransferListener.NONE).session())
          .succeedsWithin(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }

    TransferReport refused = end(client.attach(id, TransferListener.NONE));

    assertThat(refused.failure()).contains(ErrorCode.BUSY);
    assertThat(refused.failureMessage()).contains("16 clients follow this session already");
  }

  @Test
  void otherTokensFindNothing() throws Exception {
    String alice = token(root.resolve("a"), "alice");
    String bob = token(root.resolve("a"), "bob");
    await("tokens that are read")
        .atMost(DEADLINE_SECONDS, TimeUnit.SECONDS)
        .until(() -> isKnown(alice) && isKnown(bob));
    Detachment detachment =
        clientWith(from, alice).startDetached(client(to), slow("8Mbit/s"), heard);
    String id = detachment.completion().get(DEADLINE_SECONDS, TimeUnit.SECONDS).id();

    assertThat(refusal(clientWith(from, bob), id)).isEqualTo(ErrorCode.NOT_FOUND);
    assertThat(refusal(clientWith(from, bob), "0".repeat(32))).isEqualTo(ErrorCode.NOT_FOUND);
    assertThat(clientWith(from, bob).sessions()).isEmpty();
    assertThat(clientWith(from, alice).sessions()).hasSize(1);
    assertThat(client(from).sessions()).as("the operator").hasSize(1);

    NamedTokens.ofHome(root.resolve("a")).revoke("alice");
    TransferReport revoked = end(client(from).attach(id, heard));
    assertThat(revoked.failure()).contains(ErrorCode.UNAUTHENTICATED);
    assertThat(revoked.failureMessage()).contains("alice").contains("revoked");
  }

  private boolean isKnown(String token) throws InterruptedException {
    try {
      return clientWith(from, token).sessions().isEmpty();
    } catch (FdtException e) {
      return false;
    }
  }

  /** As a client that is killed: its connection is gone and nothing was said. */
  @Test
  void aClientThatIsGoneLeavesATransferThatEndsAfterTheRetryTimeout() throws Exception {
    FdtClient source = client(from, builder -> builder.retryTimeout(Duration.ofSeconds(4)));
    FaultyNetwork relay = relay(from);
    FdtClient through =
        client(from, builder -> builder.port(relay.port()).retryTimeout(Duration.ofSeconds(4)));
    Transfer transfer = through.start(client(to), slow("8Mbit/s"), heard);
    awaitBytes(transfer, MIB);
    relay.close();

    RemoteSession session = source.sessions().get(0);
    assertThat(session.isDetached()).isFalse();
    assertThat(session.hasEnded()).isFalse();
    await("its end")
        .atMost(DEADLINE_SECONDS, TimeUnit.SECONDS)
        .until(() -> source.sessions().get(0).hasEnded());
    assertThat(source.sessions().get(0).failure()).contains(ErrorCode.CANCELLED);
    assertThat(source.sessions().get(0).failureMessage()).contains("did not come back within 4 s");
    assertThat(end(transfer).failure()).contains(ErrorCode.UNREACHABLE);
  }

  private FaultyNetwork relay(FdtServer server) {
    FaultyNetwork relay =
        new FaultyNetwork(server.address().getPort(), (data, number) -> FaultyNetwork.Fault.NONE);
    open.add(relay);
    return relay;
  }

  @Test
  void aClientWhoseNetworkComesBackGoesOnByItself() throws Exception {
    FaultyNetwork relay = relay(from);
    FdtClient through = client(from, builder -> builder.port(relay.port()));
    Transfer transfer = through.start(client(to), slow(), heard);
    awaitBytes(transfer, 2 * MIB);
    relay.resetAll();

    TransferReport report = end(transfer);

    assertThat(report.failureMessage()).isEmpty();
    assertThat(report.exitStatus()).isZero();
    assertThat(report.figures().files().done()).isEqualTo(51);
    assertThat(report.figures().bytesDone()).as("nothing goes twice").isLessThan(17 * MIB);
    assertThat(heard.files).as("each file is told once").hasSize(51).doesNotHaveDuplicates();
    assertThat(heard.notices).anyMatch(notice -> notice.contains("is back"));
    assertArrived();
  }

  @Test
  void theSameRequestTakesOverFromAClientThatIsGone() throws Exception {
    FaultyNetwork relay = relay(from);
    FdtClient through =
        client(from, builder -> builder.port(relay.port()).retryTimeout(Duration.ofSeconds(60)));
    Transfer lost = through.start(client(to), slow("16Mbit/s"), heard);
    awaitBytes(lost, 5 * MIB);
    relay.close();

    TransferReport report = end(client(from).start(client(to), request().build(), heard));

    assertThat(report.failureMessage()).isEmpty();
    assertThat(report.figures().bytesKept()).isGreaterThan(4 * MIB);
    assertThat(report.figures().bytesDone()).isLessThan(13 * MIB);
    assertArrived();
    lost.cancel();
  }

  @Test
  void theSameRequestIsRefusedWhileTheOtherOneIsDetached() throws Exception {
    DetachedTransfer left = leave(slow());

    FdtClient once = client(from, builder -> builder.retryTimeout(Duration.ZERO));
    TransferReport report =
        end(once.start(client(to), request().rateLimit(BitRate.parse("1Gbit/s")).build(), heard));

    if (!client(from).sessions().get(0).hasEnded()) {
      assertThat(report.failure()).contains(ErrorCode.IN_USE);
      assertThat(report.failureMessage()).contains(left.id().substring(0, 8));
    }
  }

  @Test
  void aRunWhosePeerRestartsMeanwhileSaysSo() throws Exception {
    DetachedTransfer left = leave(slow("16Mbit/s"));
    FdtClient client = client(from);
    await("data that flows")
        .atMost(DEADLINE_SECONDS, TimeUnit.SECONDS)
        .until(() -> client.sessions().get(0).figures().bytesDone() > MIB);
    int port = to.address().getPort();
    to.close();
    to = serve(root.resolve("b"), Export.readWrite("inc", incoming), builder -> builder.port(port));

    AttachedTransfer attached = client.attach(left.id(), heard);
    TransferReport report = end(attached);

    assertThat(report.failure()).isPresent();
    assertThat(report.failureMessage()).isNotEmpty();
    assertThat(attached.session().join().request().command()).isEqualTo("fdt copy -r A B");
    TransferReport rest = end(client(from).start(client(to), request().build(), heard));
    assertThat(rest.exitStatus()).isZero();
    assertThat(rest.figures().bytesKept()).isPositive();
    assertArrived();
  }

  @Test
  void aServerThatStopsEndsItAndSaysSo() throws Exception {
    DetachedTransfer left = leave(slow("8Mbit/s"));
    AttachedTransfer attached = client(from).attach(left.id(), heard);
    awaitBytes(attached, MIB);

    from.close();

    TransferReport report = end(attached);
    assertThat(report.failure()).contains(ErrorCode.SHUTTING_DOWN);
  }

  @Test
  void aServerForOneClientStaysUntilTheTransferHasEnded() throws Exception {
    from.close();
    from =
        serve(
            root.resolve("a"),
            Export.readOnly("data", data),
            builder -> builder.stopAfterLastClient(true));
    DetachedTransfer unused = leave(slow());

    from.stopped().get(DEADLINE_SECONDS, TimeUnit.SECONDS);

    assertArrived();
  }

  @Test
  void oneTokenLeavesNoMoreThanItsHalfOfTheServer() throws Exception {
    from.close();
    from =
        serve(
            root.resolve("a"),
            Export.readOnly("data", data),
            builder -> builder.limits(ServerLimits.DEFAULT.withSessions(4)));
    for (String place : List.of("/inc/1", "/inc/2")) {
      DetachedTransfer unused = leave(slowTo(place));
    }

    ExecutionException refused =
        catchThrowableOfType(ExecutionException.class, () -> leave(slowTo("/inc/3")));

    assertThat(((FdtException) refused.getCause()).code()).isEqualTo(ErrorCode.BUSY);
    assertThat(client(from).sessions()).hasSize(2);
  }

  private static TransferRequest slowTo(String destination) {
    return request().destination(destination).rateLimit(BitRate.parse("8Mbit/s")).build();
  }

  /** Longer than the patience of either end: signs of life go both ways. */
  @Test
  void aClientThatOnlyListensIsNotTakenForGone() throws Exception {
    from.close();
    from =
        serve(
            root.resolve("a"),
            Export.readOnly("data", data),
            builder -> builder.idleTimeout(Duration.ofSeconds(2)));
    FdtClient source = client(from, builder -> builder.idleTimeout(Duration.ofSeconds(2)));

    TransferReport report = end(source.start(client(to), slow(), heard));

    assertThat(report.failureMessage()).isEmpty();
    assertThat(report.elapsed()).isGreaterThan(Duration.ofSeconds(3));
    assertThat(heard.notices).isEmpty();
  }

  @Test
  void whatNeverBeganIsNotLeft() throws Exception {
    FdtClient source = client(from);
    Detachment detachment =
        source.startDetached(
            client(to),
            TransferRequest.between().source("/data/run").destination("/no").build(),
            heard);

    ExecutionException failure =
        catchThrowableOfType(
            ExecutionException.class,
            () -> detachment.completion().get(DEADLINE_SECONDS, TimeUnit.SECONDS));

    assertThat(failure.getCause()).isInstanceOf(FdtException.class);
    assertThat(source.sessions()).isEmpty();
  }
}
