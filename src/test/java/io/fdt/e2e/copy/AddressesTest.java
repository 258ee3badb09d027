package io.fdt.e2e.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.client.FdtClient;
import io.fdt.client.FileProblem;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.FdtException;
import io.fdt.core.unit.ByteSize;
import io.fdt.e2e.Content;
import io.fdt.e2e.DeafTransport;
import io.fdt.e2e.Shell;
import io.fdt.e2e.StreamWatch;
import io.fdt.e2e.Tree;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import io.fdt.server.FdtServerBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers with several addresses, with a port for data, and on IPv6. */
class AddressesTest {
  private static final int MIB = 1 << 20;
  private static final int DEADLINE_SECONDS = 60;
  private static final String FIRST = "127.0.0.1";
  private static final String SECOND = "127.0.0.2";

  private static final ByteSize BLOCK = ByteSize.parse("256K");

  private final List<String> problems = new ArrayList<>();
  private final TransferListener listener =
      new TransferListener() {
        @Override
        public void problem(FileProblem problem) {
          problems.add(problem.path() + ": " + problem.message());
        }
      };

  @TempDir private Path root;
  private Path here;
  private Path there;
  private final StreamWatch watch = new StreamWatch();
  private final List<AutoCloseable> open = new ArrayList<>();

  @BeforeEach
  void makeData() throws Exception {
    here = Files.createDirectories(root.resolve("here"));
    there = Files.createDirectories(root.resolve("there"));
  }

  @AfterEach
  void closeEverything() throws Exception {
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
  }

  private FdtServer start(FdtServerBuilder builder) throws Exception {
    FdtServer server =
        builder.export(Export.readWrite("data", there)).port(0).transport(watch.factory()).build();
    open.add(server);
    server.start();
    return server;
  }

  private FdtClient client(FdtServer server, boolean encrypts) {
    FdtClient client =
        FdtClient.builder(server.address().getAddress().getHostAddress())
            .port(server.address().getPort())
            .encryptData(encrypts)
            .build();
    open.add(client);
    return client;
  }

  /** A copy of a tree, in either direction. */
  private TransferReport copy(FdtServer server, boolean push, boolean encrypts, int streams)
      throws Exception {
    Path from = push ? here : there;
    Content.write(from.resolve("run/large"), 48 * MIB + 17, 1);
    Content.write(from.resolve("run/small"), 100, 2);
    TransferRequest.Builder request =
        push
            ? TransferRequest.push().source(here + "/run").destination("/data")
            : TransferRequest.pull().source("/data/run").destination(here.toString());
    TransferReport report =
        client(server, encrypts)
            .start(request.recursive(true).streams(streams).blockSize(BLOCK).build(), listener)
            .completion()
            .get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    assertThat(report.failureMessage()).isEmpty();
    assertThat(report.exitStatus()).isZero();
    Tree.assertSame((push ? there : here).resolve("run"), from.resolve("run"));
    return report;
  }

  /** On a busy machine one thread may have sent nearly all before the other one had its turn. */
  private void copyToBoth(FdtServer server, boolean push, boolean encrypts) throws Exception {
    for (int copy = 0; copy < 5; copy++) {
      Shell.run(push ? there : here, "rm -rf run");
      copy(server, push, encrypts, 4);
      if (watch.bytes(FIRST) > 4 * MIB && watch.bytes(SECOND) > 4 * MIB) {
        return;
      }
    }
    assertThat(watch.bytes(FIRST)).isGreaterThan(4 * MIB);
    assertThat(watch.bytes(SECOND)).isGreaterThan(4 * MIB);
  }

  @ParameterizedTest
  @CsvSource({"true,false", "false,false", "true,true", "false,true"})
  void streamsAreSpreadOverTheAddressesOfAServer(boolean push, boolean encrypts) throws Exception {
    FdtServer server = start(FdtServer.builder().bind(List.of(FIRST, SECOND)));

    copyToBoth(server, push, encrypts);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anAddressThatIsDeadCostsNothing(boolean push) throws Exception {
    FdtServer server =
        FdtServer.builder()
            .export(Export.readWrite("data", there))
            .port(0)
            .bind(List.of(FIRST, SECOND))
            .transport(
                (loops, allocator, timeout) ->
                    new DeafTransport(watch.factory().create(loops, allocator, timeout), SECOND))
            .build();
    open.add(server);
    server.start();

    TransferReport report = copy(server, push, false, 4);

    assertThat(watch.bytes(SECOND)).isZero();
    assertThat(report.figures().blocksRepeated()).isZero();
    assertThat(problems).isEmpty();
  }

  @Test
  void oneStreamGoesToOneAddress() throws Exception {
    FdtServer server = start(FdtServer.builder().bind(List.of(FIRST, SECOND)));

    copy(server, true, false, 1);

    assertThat(watch.bytes(SECOND)).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void allDataGoesToThePortOfTheRange(boolean push) throws Exception {
    int port = freePort();
    FdtServer server = start(FdtServer.builder().bind(FIRST).dataPorts(port, port));
    assertThat(server.dataPort()).isEqualTo(port).isNotEqualTo(server.address().getPort());

    copy(server, push, false, 4);

    assertThat(watch.streams()).isPositive();
  }

  @Test
  void encryptedDataGoesToThePortOfTheRangeAtAllAddresses() throws Exception {
    int port = freePort();
    FdtServer server =
        start(FdtServer.builder().bind(List.of(FIRST, SECOND)).dataPorts(port, port));

    copyToBoth(server, false, true);
  }

  @Test
  void aRangeWithoutAFreePortIsAnError() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = taken.getLocalPort();

      assertThatThrownBy(() -> start(FdtServer.builder().bind(FIRST).dataPorts(port, port)))
          .isInstanceOf(FdtException.class)
          .hasMessageContaining("no port for data in the range " + port + "-" + port);
    }
  }

  @Test
  void dataBetweenServersGoesToThePortOfTheRange() throws Exception {
    int port = freePort();
    FdtServer source = start(FdtServer.builder().bind(FIRST));
    FdtServer destination = start(FdtServer.builder().bind(FIRST).dataPorts(port, port));
    between(source, destination);
  }

  private void between(FdtServer source, FdtServer destination) throws Exception {
    Content.write(there.resolve("run/large"), 8 * MIB + 17, 1);
    TransferReport report =
        client(source, false)
            .start(
                client(destination, false),
                TransferRequest.between()
                    .source("/data/run")
                    .destination("/data/copy/")
                    .recursive(true)
                    .build(),
                listener)
            .completion()
            .get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    assertThat(report.failureMessage()).isEmpty();
    Tree.assertSame(there.resolve("copy/run"), there.resolve("run"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void serversOnIpv6(boolean push) throws Exception {
    assumeTrue(hasIpv6(), "not installed: IPv6");
    copy(start(FdtServer.builder().bind("::1")), push, false, 4);
  }

  @Test
  void copiesBetweenServersOnIpv6() throws Exception {
    assumeTrue(hasIpv6(), "not installed: IPv6");
    between(start(FdtServer.builder().bind("::1")), start(FdtServer.builder().bind("::1")));
  }

  private static boolean hasIpv6() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getAllByName("::1")[0])) {
      return socket.getLocalPort() > 0;
    } catch (IOException e) {
      return false;
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
