package io.fdt.e2e.stripe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.client.FdtClient;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.model.Grant;
import io.fdt.core.unit.BitRate;
import io.fdt.core.unit.ByteSize;
import io.fdt.core.unit.RateSchedule;
import io.fdt.e2e.Content;
import io.fdt.e2e.Shell;
import io.fdt.e2e.StreamWatch;
import io.fdt.e2e.Tree;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import io.fdt.server.FdtServerBuilder;
import io.fdt.server.FrontEnd;
import io.fdt.server.NamedTokens;
import io.fdt.server.ServerLimits;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Data nodes over IPv6, on ports of a range, and with limits of the rate. */
class StripeNetworksTest {
  private static final int MIB = 1 << 20;
  private static final ByteSize BLOCK = ByteSize.ofBytes(256 << 10);
  private static final int DEADLINE_SECONDS = 60;

  @TempDir private Path root;

  private final List<AutoCloseable> open = new ArrayList<>();
  private final StreamWatch atFront = new StreamWatch();
  private final StreamWatch atNode = new StreamWatch();
  private Path here;
  private Path shared;
  private String address = "127.0.0.1";
  private FdtServer front;
  private String token;

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

  private FdtServer start(FdtServerBuilder builder) throws Exception {
    FdtServer server =
        builder.bind(address).port(0).export(Export.readWrite("data", shared)).build();
    open.add(server);
    server.start();
    return server;
  }

  private void startFront(UnaryOperator<FdtServerBuilder> options) throws Exception {
    Path home = Files.createDirectories(root.resolve("home"));
    front = start(options.apply(FdtServer.builder().home(home).transport(atFront.factory())));
    token = NamedTokens.ofHome(home).create(Grant.dataNode("node", Instant.now()));
  }

  private FdtServerBuilder joining() {
    return FdtServer.builder()
        .transport(atNode.factory())
        .join(new FrontEnd(address, front.address().getPort(), front.fingerprint(), token, ""));
  }

  private FdtServer startNode(UnaryOperator<FdtServerBuilder> options) throws Exception {
    FdtServer node = start(options.apply(joining()));
    await("the node")
        .atMost(DEADLINE_SECONDS, TimeUnit.SECONDS)
        .until(() -> front.dataNodes() == 1);
    return node;
  }

  private TransferReport run(TransferRequest request) throws Exception {
    try (FdtClient client =
        FdtClient.builder(address)
            .port(front.address().getPort())
            .retryTimeout(Duration.ofSeconds(30))
            .build()) {
      return client
          .start(request, TransferListener.NONE)
          .completion()
          .get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }
  }

  /** There and back. */
  private void copyBothWays() throws Exception {
    Content.write(here.resolve("run/large"), 40 * MIB + 17, 1);
    Content.write(here.resolve("run/other"), 24 * MIB, 2);
    Path back = root.resolve("back");
    long block = BLOCK.bytes();
    long pushed = 0;
    // On a busy machine the streams of the node may be there late: a slower copy has them.
    for (int copy = 0; copy < 5 && (pushed <= block || atNode.bytes() - pushed <= block); copy++) {
      Shell.run(root, "rm -rf shared/run back");
      assertDone(run(unhurried(copy, TransferRequest.push().source(here + "/run"), "/data")));
      Tree.assertSame(shared.resolve("run"), here.resolve("run"));
      pushed = atNode.bytes();

      TransferRequest.Builder pull = TransferRequest.pull().source("/data/run");
      assertDone(run(unhurried(copy, pull, back.toString())));
      Tree.assertSame(back.resolve("run"), here.resolve("run"));
    }
    assertThat(atFront.bytes()).as("bytes at the front end").isGreaterThan(block);
    assertThat(pushed).as("bytes at the node").isGreaterThan(block);
    assertThat(atNode.bytes() - pushed).as("bytes from the node").isGreaterThan(block);
  }

  private static TransferRequest unhurried(
      int copy, TransferRequest.Builder request, String destination) {
    request.destination(destination).recursive(true).streams(6).blockSize(BLOCK);
    return (copy == 0 ? request : request.rateLimit(BitRate.parse("160Mbit/s"))).build();
  }

  private static void assertDone(TransferReport report) {
    assertThat(report.failureMessage()).isEmpty();
    assertThat(report.problems()).isEmpty();
    assertThat(report.exitStatus()).isZero();
  }

  @Test
  void nodesOverIpv6OnPortsOfARange() throws Exception {
    address = "::1";
    assumeTrue(
        NetworkInterface.getByInetAddress(InetAddress.getByName(address)) != null,
        "not installed: IPv6");
    int low = freeRange();
    startFront(server -> server.dataPorts(low, low + 3));
    FdtServer node = startNode(server -> server.dataPorts(low, low + 3));

    copyBothWays();

    assertThat(front.dataPort()).isBetween(low, low + 3);
    assertThat(node.dataPort()).isBetween(low, low + 3).isNotEqualTo(front.dataPort());
    assertThat(front.address().getAddress()).isInstanceOf(Inet6Address.class);
  }

  /** Two servers have ports of it, and another program may have one. */
  private static int freeRange() throws IOException {
    for (int attempt = 0; attempt < 50; attempt++) {
      try (ServerSocket first = new ServerSocket(0)) {
        int low = first.getLocalPort();
        if (low + 3 < 65_536 && isFree(low + 1) && isFree(low + 2)) {
          return low;
        }
      }
    }
    throw new IOException("no free ports");
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port)) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }

  /** The front end counts what its nodes carry, too. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aLimitOfTheServerHoldsForAllOfItsMachinesTogether(boolean push) throws Exception {
    RateSchedule rate = RateSchedule.always(BitRate.parse("160Mbit/s")); // 20 MB a second
    startFront(server -> server.limits(ServerLimits.DEFAULT.withRate(rate)));
    FdtServer unused = startNode(server -> server);

    copyWithinLimit(push, request -> request);
  }

  @Test
  void aLimitOfTheClientHoldsForAllMachinesTogether() throws Exception {
    startFront(server -> server);
    FdtServer unused = startNode(server -> server);

    copyWithinLimit(false, request -> request.rateLimit(BitRate.parse("160Mbit/s")));
  }

  /** 24 MiB at 20 MB a second: a node carries a part, and it is no faster. */
  private void copyWithinLimit(boolean push, UnaryOperator<TransferRequest.Builder> limit)
      throws Exception {
    Path from = push ? here : shared;
    Content.write(from.resolve("run/large"), 24 * MIB, 1);
    // On a busy machine the streams of the node may be there late.
    for (int copy = 0; copy < 5 && atNode.bytes() < 4 * MIB; copy++) {
      Path target = (push ? shared : here).resolve("copy" + copy);
      Files.createDirectories(target);
      TransferRequest.Builder request =
          push
              ? TransferRequest.push().source(here + "/run").destination("/data/copy" + copy)
              : TransferRequest.pull().source("/data/run").destination(target.toString());

      TransferReport report =
          run(limit.apply(request.recursive(true).blockSize(BLOCK).streams(4)).build());

      assertDone(report);
      Tree.assertSame(target.resolve("run"), from.resolve("run"));
      assertThat(report.elapsed()).isGreaterThan(Duration.ofMillis(1150));
    }
    assertThat(atNode.bytes()).as("bytes of the node").isGreaterThan(4 * MIB);
    assertThat(atFront.bytes()).as("bytes of the front end").isGreaterThan(4 * MIB);
  }

  /** It would hold for what it serves itself, and not for what it carries. */
  @Test
  void aNodeHasNoLimitOfItsOwn() throws Exception {
    startFront(server -> server);
    RateSchedule rate = RateSchedule.always(BitRate.parse("64Mbit/s"));

    assertThatThrownBy(
            () ->
                joining()
                    .export(Export.readWrite("data", shared))
                    .limits(ServerLimits.DEFAULT.withRate(rate))
                    .build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("front end");
  }
}
