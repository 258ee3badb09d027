package io.fdt.e2e.stripe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.client.FdtClient;
import io.fdt.client.FileProblem;
import io.fdt.client.Transfer;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.Compression;
import io.fdt.core.model.FileCut;
import io.fdt.core.model.FilePart;
import io.fdt.core.model.Grant;
import io.fdt.core.model.RelayGrant;
import io.fdt.core.node.Node;
import io.fdt.core.security.ClientTls;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.transport.ForwardingTransport;
import io.fdt.core.transport.SecuredControl;
import io.fdt.core.transport.Transport;
import io.fdt.core.unit.BitRate;
import io.fdt.core.unit.ByteSize;
import io.fdt.e2e.Content;
import io.fdt.e2e.Shell;
import io.fdt.e2e.StreamWatch;
import io.fdt.e2e.Tree;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import io.fdt.server.FdtServerBuilder;
import io.fdt.server.FrontEnd;
import io.fdt.server.NamedTokens;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
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
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A front end and data nodes that see the same files, in one process. */
@Execution(ExecutionMode.CONCURRENT)
class StripesTest {
  private static final int MIB = 1 << 20;
  private static final int DEADLINE_SECONDS = 60;
  private static final ByteSize BLOCK = ByteSize.ofBytes(256 << 10);
  private static final int MOST_COPIES = 10;

  /** 20 MB a second: streams of nodes are there in time, and each machine sends blocks in turn. */
  private static final BitRate UNHURRIED = BitRate.parse("160Mbit/s");

  /** 10 MB a second, of copies that are disturbed in the middle. */
  private static final BitRate SLOW = BitRate.parse("80Mbit/s");

  @TempDir private Path root;

  private final List<AutoCloseable> open = new ArrayList<>();
  private final Queue<String> notices = new ConcurrentLinkedQueue<>();
  private Path here;
  private Path shared;

  private final TransferListener listener =
      new TransferListener() {
        @Override
        public void notice(String message) {
          notices.add(message);
        }

        @Override
        public void problem(FileProblem problem) {
          notices.add(problem.path() + ": " + problem.message());
        }
      };

  /** A front end, and what its nodes need to join it. */
  private record Front(FdtServer server, Path home, String nodeToken, StreamWatch watch) {}

  @BeforeEach
  void makeData() throws Exception {
    here = Files.createDirectories(root.resolve("here"));
    shared = Files.createDirectories(root.resolve("shared"));
  }

  @AfterEach
  void closeEverything() throws Exception {
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
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

  private static void makeTree(Path directory) throws Exception {
    Content.write(directory.resolve("run/large"), 40 * MIB + 17, 1);
    Content.write(directory.resolve("run/other"), 24 * MIB, 2);
    Content.write(directory.resolve("run/middle"), 3 * MIB, 3);
    for (int i = 0; i < 100; i++) {
      Content.write(directory.resolve("run/sub/small" + i), 100 + i, i);
    }
    Shell.run(directory, "mkdir run/empty; ln -s large run/link; chmod 640 run/large");
  }

  private FdtServer start(FdtServerBuilder builder) throws Exception {
    FdtServer server = builder.bind("127.0.0.1").port(0).build();
    open.add(server);
    server.start();
    return server;
  }

  private Front front(String name, Path files) throws Exception {
    Path home = Files.createDirectories(root.resolve(name));
    StreamWatch watch = new StreamWatch();
    FdtServer server =
        start(
            FdtServer.builder()
                .export(Export.readWrite("data", files))
                .home(home)
                .transport(watch.factory()));
    String token = NamedTokens.ofHome(home).create(Grant.dataNode("node", Instant.now()));
    return new Front(server, home, token, watch);
  }

  private static FrontEnd frontEnd(Front front, String token) {
    return new FrontEnd(
        "127.0.0.1", front.server().address().getPort(), front.server().fingerprint(), token, "");
  }

  private FdtServer node(Front front, Path files, StreamWatch watch) throws Exception {
    return start(joining(front, files, watch));
  }

  private FdtServerBuilder joining(Front front, Path files, StreamWatch watch) {
    return FdtServer.builder()
        .export(Export.readWrite("data", files))
        .transport(watch.factory())
        .join(frontEnd(front, front.nodeToken()));
  }

  private FdtClient client(FdtServer server, UnaryOperator<FdtClient.Builder> options) {
    FdtClient client =
        options
            .apply(
                FdtClient.builder("127.0.0.1")
                    .port(server.address().getPort())
                    .retryTimeout(Duration.ofSeconds(30)))
            .build();
    open.add(client);
    return client;
  }

  /** A transfer that begins once so many nodes have joined: until then the client waits. */
  private Transfer start(Front front, TransferRequest request) throws Exception {
    return client(front.server(), builder -> builder).start(request, listener);
  }

  /**
   * On a busy machine the front end may have moved all of it before the streams of its nodes are
   * there: then another copy is made, and takes its time.
   */
  private static boolean isAnotherCopyNeeded(int copies, StreamWatch... machines) {
    return copies < MOST_COPIES
        && Stream.of(machines).anyMatch(machine -> machine.bytes() < 2L * MIB);
  }

  private static TransferRequest copy(int number, TransferRequest.Builder request) {
    return (number == 0 ? request : request.rateLimit(UNHURRIED)).build();
  }

  /** Starts a copy again and again until a node carries data of one that is not over. */
  private Transfer startUntilUsed(
      Front front, TransferRequest.Builder builder, Path target, StreamWatch watch)
      throws Exception {
    TransferRequest request = builder.rateLimit(SLOW).build();
    for (int copy = 0; copy < MOST_COPIES; copy++) {
      Shell.run(target, "rm -rf run");
      long before = watch.bytes();
      Transfer transfer = start(front, request);
      await("bytes at the node")
          .atMost(DEADLINE_SECONDS, TimeUnit.SECONDS)
          .until(() -> watch.bytes() > before + 4L * MIB || transfer.completion().isDone());
      if (!transfer.completion().isDone()) {
        return transfer;
      }
      assertDone(transfer.completion().get(DEADLINE_SECONDS, TimeUnit.SECONDS));
    }
    throw new AssertionError("the node carried little in all copies");
  }

  private TransferReport run(Front front, TransferRequest request) throws Exception {
    return start(front, request).completion().get(DEADLINE_SECONDS, TimeUnit.SECONDS);
  }

  private static TransferRequest.Builder push(Path from) {
    return TransferRequest.push().source(from + "/run").destination("/data").recursive(true);
  }

  private static TransferRequest.Builder pull(Path to) {
    return TransferRequest.pull().source("/data/run").destination(to.toString()).recursive(true);
  }

  private static void assertDone(TransferReport report) {
    assertThat(report.failureMessage()).isEmpty();
    assertThat(report.problems()).isEmpty();
    assertThat(report.exitStatus()).isZero();
  }

  /** Nodes take part in what begins after they have joined, which a probe session shows. */
  private void awaitNodes(Front front, StreamWatch... watches) {
    await("nodes that have joined")
        .atMost(DEADLINE_SECONDS, TimeUnit.SECONDS)
        .until(() -> front.server().dataNodes() == watches.length);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void allNodesCarryBlocksOfTheSameFiles(boolean push) throws Exception {
    Front front = front("front", shared);
    StreamWatch first = new StreamWatch();
    StreamWatch second = new StreamWatch();
    FdtServer unusedFirst = node(front, shared, first);
    FdtServer unusedSecond = node(front, shared, second);
    awaitNodes(front, first, second);
    makeTree(push ? here : shared);

    Path target = push ? shared : here;
    for (int copy = 0; isAnotherCopyNeeded(copy, front.watch(), first, second); copy++) {
      Shell.run(target, "rm -rf run");
      TransferReport report =
          run(front, copy(copy, (push ? push(here) : pull(here)).streams(6).blockSize(BLOCK)));
      assertDone(report);
      Tree.assertSame(target.resolve("run"), (push ? here : shared).resolve("run"));
      assertThat(report.figures().wireBytes()).isLessThan(report.figures().bytesDone() * 102 / 100);
    }

    for (StreamWatch watch : List.of(front.watch(), first, second)) {
      assertThat(watch.bytes()).as("bytes of each machine").isGreaterThan(MIB);
    }
    assertThat(run(front, request(push)).figures().bytesDone())
        .as("bytes of one that is complete")
        .isZero();
  }

  /** Several clients fetch one file in ranges, as workers of a plan do. */
  @Test
  void nodesReadRangesOfOneFileForSeveralClients() throws Exception {
    Front front = front("front", shared);
    StreamWatch first = new StreamWatch();
    StreamWatch second = new StreamWatch();
    FdtServer unusedFirst = node(front, shared, first);
    FdtServer unusedSecond = node(front, shared, second);
    awaitNodes(front, first, second);
    makeTree(shared);
    FileCut cut = new FileCut(40 * MIB + 17, 14 * MIB);
    TransferRequest.Builder file =
        TransferRequest.pull()
            .source("/data/run/large")
            .destination(here.toString())
            .blockSize(BLOCK);

    for (int copy = 0; isAnotherCopyNeeded(copy, front.watch(), first, second); copy++) {
      Shell.run(here, "rm -f .fdt-*");
      List<Transfer> ranges = new ArrayList<>();
      for (int index = 0; index < cut.count(); index++) {
        ranges.add(start(front, copy(copy, file.part(cut.part(index)))));
      }
      for (Transfer range : ranges) {
        assertDone(range.completion().get(DEADLINE_SECONDS, TimeUnit.SECONDS));
      }
    }
    for (StreamWatch watch : List.of(front.watch(), first, second)) {
      assertThat(watch.bytes()).as("bytes of each machine").isGreaterThan(MIB);
    }
    assertThat(here.resolve("large")).doesNotExist();
    TransferReport whole = run(front, file.part(FilePart.WHOLE).build());

    assertDone(whole);
    assertThat(whole.figures().bytesDone()).isZero();
    Content.assertSame(here.resolve("large"), shared.resolve("run/large"));
    assertThat(here.toFile().list()).containsExactly("large");
  }

  private TransferRequest request(boolean push) {
    return (push ? push(here) : pull(here)).build();
  }

  @ParameterizedTest
  @EnumSource(
      value = Checksum.class,
      names = {"SHA256", "BLAKE3", "NONE"})
  void digestsAreThoseOfTheWholeFile(Checksum checksum) throws Exception {
    Front front = front("front", shared);
    StreamWatch watch = new StreamWatch();
    FdtServer unused = node(front, shared, watch);
    awaitNodes(front, watch);
    makeTree(here);

    for (int copy = 0; isAnotherCopyNeeded(copy, watch); copy++) {
      Shell.run(shared, "rm -rf run");
      TransferRequest.Builder push =
          push(here).checksum(checksum).fsync(true).verify(checksum != Checksum.NONE);
      assertDone(run(front, copy(copy, push)));

      Tree.assertSame(shared.resolve("run"), here.resolve("run"));
      Shell.run(here, "rm -r run");
      assertDone(run(front, copy(copy, pull(here).checksum(checksum))));
      Tree.assertSame(here.resolve("run"), shared.resolve("run"));
    }
    assertThat(watch.bytes()).isGreaterThan(MIB);
  }

  @Test
  void streamsToNodesAreEncryptedAsThoseToTheFrontEnd() throws Exception {
    Front front = front("front", shared);
    StreamWatch watch = new StreamWatch();
    FdtServer unused = node(front, shared, watch);
    awaitNodes(front, watch);
    makeTree(here);

    for (int copy = 0; isAnotherCopyNeeded(copy, watch); copy++) {
      Shell.run(shared, "rm -rf run");
      TransferReport report =
          client(front.server(), builder -> builder.encryptData(true))
              .start(copy(copy, push(here)), listener)
              .completion()
              .get(DEADLINE_SECONDS, TimeUnit.SECONDS);
      assertDone(report);
      Tree.assertSame(shared.resolve("run"), here.resolve("run"));
    }

    assertThat(watch.bytes()).isGreaterThan(MIB);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aNodeThatDiesCostsWhatWasUnderWay(boolean push) throws Exception {
    Front front = front("front", shared);
    StreamWatch watch = new StreamWatch();
    FdtServer node = node(front, shared, watch);
    awaitNodes(front, watch);
    makeTree(push ? here : shared);

    TransferRequest.Builder request = (push ? push(here) : pull(here)).blockSize(BLOCK);
    Transfer transfer = startUntilUsed(front, request, push ? shared : here, watch);
    node.close();

    TransferReport report = transfer.completion().get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    assertDone(report);
    Tree.assertSame((push ? shared : here).resolve("run"), (push ? here : shared).resolve("run"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aNodeThatJoinsIsUsedAtOnce(boolean push) throws Exception {
    Front front = front("front", shared);
    makeTree(push ? here : shared);
    StreamWatch watch = new StreamWatch();

    Transfer transfer = start(front, (push ? push(here) : pull(here)).blockSize(BLOCK).build());
    await("bytes at the front end")
        .atMost(DEADLINE_SECONDS, TimeUnit.SECONDS)
        .until(() -> front.watch().bytes() > 2 * MIB || transfer.completion().isDone());
    FdtServer unused = node(front, shared, watch);

    assertDone(transfer.completion().get(DEADLINE_SECONDS, TimeUnit.SECONDS));
    Tree.assertSame((push ? shared : here).resolve("run"), (push ? here : shared).resolve("run"));
  }

  @Test
  void stripesOnBothSidesOpenStreamsBetweenAllPairs() throws Exception {
    Path data = Files.createDirectories(root.resolve("data"));
    Front source = front("source", data);
    Front destination = front("destination", shared);
    StreamWatch sends = new StreamWatch();
    StreamWatch receives = new StreamWatch();
    FdtServer unusedSource = node(source, data, sends);
    FdtServer unusedDestination = node(destination, shared, receives);
    awaitNodes(source, sends);
    awaitNodes(destination, receives);
    makeTree(data);

    for (int copy = 0; isAnotherCopyNeeded(copy, sends, receives); copy++) {
      TransferReport report =
          client(source.server(), builder -> builder)
              .start(
                  client(destination.server(), builder -> builder),
                  copy(
                      copy,
                      TransferRequest.between()
                          .source("/data/run")
                          .destination("/data/copy" + copy + "/")
                          .recursive(true)
                          .blockSize(BLOCK)
                          .streams(4)),
                  listener)
              .completion()
              .get(DEADLINE_SECONDS, TimeUnit.SECONDS);
      assertDone(report);
      Tree.assertSame(shared.resolve("copy" + copy + "/run"), data.resolve("run"));
    }

    assertThat(sends.bytes()).isGreaterThan(MIB);
    assertThat(receives.bytes()).isGreaterThan(MIB);
    assertThat(sends.streams()).as("to the front end and to the node").isGreaterThanOrEqualTo(2);
  }

  /** Its front end may connect to the other server, and the node may not. */
  @Test
  void aNodeConnectsOnlyWhereItsOwnOperatorAllows() throws Exception {
    Path data = Files.createDirectories(root.resolve("data"));
    Front source = front("source", data);
    Front destination = front("destination", shared);
    StreamWatch sends = new StreamWatch();
    FdtServer unused = start(joining(source, data, sends).dialTo(List.of("192.0.2.1")));
    awaitNodes(source, sends);
    Content.write(data.resolve("run/large"), 24 * MIB, 1);

    TransferReport report =
        client(source.server(), builder -> builder)
            .start(
                client(destination.server(), builder -> builder),
                TransferRequest.between()
                    .source("/data/run")
                    .destination("/data/")
                    .recursive(true)
                    .blockSize(BLOCK)
                    .rateLimit(UNHURRIED)
                    .build(),
                listener)
            .completion()
            .get(DEADLINE_SECONDS, TimeUnit.SECONDS);

    assertDone(report);
    Tree.assertSame(shared.resolve("run"), data.resolve("run"));
    assertThat(sends.bytes()).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aNodeThatSeesOtherFilesLeavesThemToOthers(boolean push) throws Exception {
    Path elsewhere = Files.createDirectories(root.resolve("elsewhere"));
    Front front = front("front", shared);
    StreamWatch watch = new StreamWatch();
    FdtServer unused = node(front, elsewhere, watch);
    awaitNodes(front, watch);
    makeTree(push ? here : shared);

    TransferReport report = run(front, request(push));

    assertDone(report);
    Tree.assertSame((push ? shared : here).resolve("run"), (push ? here : shared).resolve("run"));
    assertThat(elsewhere).isEmptyDirectory();
  }

  @Test
  void whatWasInterruptedGoesOnWithoutWhatIsHeld() throws Exception {
    Front front = front("front", shared);
    StreamWatch watch = new StreamWatch();
    FdtServer unused = node(front, shared, watch);
    awaitNodes(front, watch);
    Content.write(here.resolve("run/large"), 64 * MIB, 1);

    Transfer first = startUntilUsed(front, push(here).blockSize(BLOCK), shared, watch);
    first.cancel();
    TransferReport interrupted = first.completion().get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    TransferReport second = run(front, push(here).blockSize(BLOCK).build());

    assertDone(second);
    Tree.assertSame(shared.resolve("run"), here.resolve("run"));
    assertThat(interrupted.failure()).contains(ErrorCode.CANCELLED);
    assertThat(second.figures().bytesKept()).isGreaterThan(MIB);
    assertThat(second.figures().bytesDone())
        .isLessThanOrEqualTo(64L * MIB - second.figures().bytesKept());
  }

  /** On a busy machine its connection begins long after it was dialled. */
  @Test
  void aNodeJoinsOnceHoweverLateItsConnectionBegins() throws Exception {
    Front front = front("front", shared);
    Semaphore dials = new Semaphore(0);
    Transport.Factory late =
        (loops, allocator, timeout) ->
            new ForwardingTransport(Node.TCP.create(loops, allocator, timeout)) {
              @Override
              public CompletableFuture<SecuredControl> dialControl(
                  EventLoop loop,
                  InetSocketAddress peer,
                  ClientTls tls,
                  String host,
                  Consumer<Duration> reached,
                  Function<ControlConnection, ControlConnection.Handler> handlers) {
                dials.release();
                return super.dialControl(loop, peer, tls, host, reached, handlers)
                    .whenComplete(
                        (secured, failure) ->
                            loop.execute(() -> tryAcquire(dials, 2, Duration.ofSeconds(1))));
              }
            };
    start(
        FdtServer.builder()
            .export(Export.readWrite("data", shared))
            .transport(late)
            .join(frontEnd(front, front.nodeToken())));

    awaitNodes(front, new StreamWatch());

    assertThat(dials.availablePermits()).isEqualTo(1);
  }

  private static void tryAcquire(Semaphore semaphore, int permits, Duration patience) {
    try {
      if (semaphore.tryAcquire(permits, patience.toMillis(), TimeUnit.MILLISECONDS)) {
        semaphore.release(permits);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void aTokenThatIsNotForDataNodesMakesNone() throws Exception {
    Front front = front("front", shared);
    String token =
        NamedTokens.ofHome(front.home())
            .create(
                new Grant(
                    "user",
                    Instant.now(),
                    Optional.empty(),
                    false,
                    Set.of(),
                    List.of(),
                    true,
                    false,
                    RelayGrant.UNLIMITED));
    StreamWatch watch = new StreamWatch();
    FdtServer refused =
        start(
            FdtServer.builder()
                .export(Export.readWrite("data", shared))
                .transport(watch.factory())
                .join(frontEnd(front, token)));
    FdtServer unused = node(front, shared, new StreamWatch());
    awaitNodes(front, new StreamWatch());
    makeTree(here);

    assertDone(run(front, push(here).build()));

    assertThat(watch.streams()).isZero();
    assertThat(refused.dataNodes()).isZero();
  }

  @Test
  void aNodeWhoseTokenIsRevokedLeaves() throws Exception {
    Front front = front("front", shared);
    FdtServer node = node(front, shared, new StreamWatch());
    await().atMost(30, TimeUnit.SECONDS).until(() -> front.server().dataNodes() == 1);

    NamedTokens.ofHome(front.home()).revoke("node");

    await().atMost(30, TimeUnit.SECONDS).until(() -> front.server().dataNodes() == 0);
    assertThat(node.dataNodes()).isZero();
  }

  /** A node sends whole blocks: here nine of them a second, which would be uneven. */
  @Test
  void aSlowTransferIsTheFrontEndsAlone() throws Exception {
    assertFrontEndSendsAlone(
        5 * MIB, pull(here).blockSize(BLOCK).rateLimit(BitRate.parse("19Mbit/s")));
  }

  /** What a node makes of a block by compression is not known, so that it cannot be counted. */
  @Test
  void aLimitedTransferThatCompressesIsTheFrontEndsAlone() throws Exception {
    Compression compression = new Compression(Compression.Method.LZ4, 0);
    assertFrontEndSendsAlone(
        16 * MIB, pull(here).blockSize(BLOCK).rateLimit(UNHURRIED).compression(compression));
  }

  private void assertFrontEndSendsAlone(int bytes, TransferRequest.Builder request)
      throws Exception {
    Front front = front("front", shared);
    StreamWatch watch = new StreamWatch();
    FdtServer unused = node(front, shared, watch);
    awaitNodes(front, watch);
    Content.write(shared.resolve("run/large"), bytes, 1);

    TransferReport report = run(front, request.build());

    assertDone(report);
    assertThat(report.elapsed()).isGreaterThan(Duration.ofMillis(700));
    assertThat(watch.bytes()).isZero();
  }

  /** The node joins from 127.0.0.1, where it does not listen. */
  @Test
  void clientsReachANodeAtTheAddressThatItAdvertises() throws Exception {
    Front front = front("front", shared);
    StreamWatch watch = new StreamWatch();
    FrontEnd joined =
        new FrontEnd(
            "127.0.0.1",
            front.server().address().getPort(),
            front.server().fingerprint(),
            front.nodeToken(),
            "127.0.0.2");
    FdtServer node = joining(front, shared, watch).join(joined).bind("127.0.0.2").port(0).build();
    open.add(node);
    node.start();
    awaitNodes(front, watch);
    Content.write(shared.resolve("run/large"), 24 * MIB, 1);

    for (int copies = 0; isAnotherCopyNeeded(copies, watch); copies++) {
      Shell.run(here, "rm -rf run");
      assertDone(run(front, copy(copies, pull(here))));
    }

    assertThat(watch.bytes()).isGreaterThan(2L * MIB);
  }
}
