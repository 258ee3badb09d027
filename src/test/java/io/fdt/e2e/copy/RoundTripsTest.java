package io.fdt.e2e.copy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.client.FdtClient;
import io.fdt.client.ServerTrust;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.e2e.Content;
import io.fdt.e2e.DelayedNetwork;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Tree;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * How often the two ends wait for each other, as the network between them has counted. It takes so
 * long that whatever an end says at once has left before the next thing arrives there.
 */
@Execution(ExecutionMode.CONCURRENT)
class RoundTripsTest {
  private static final Duration ROUND_TRIP = Duration.ofSeconds(2);
  private static final int MIB = 1 << 20;
  private static final int SMALL_FILES = 5000;

  @RegisterExtension final Lab lab = new Lab();

  private Path data;
  private Path here;

  @BeforeEach
  void makeDirectories() {
    data = lab.directory("data");
    here = lab.directory("here");
  }

  /** Prefaces and TLS; request, manifest and decision; data, digest and result. */
  @Test
  void aFileTakesThreeRoundTripsOnceItIsConnected() throws Exception {
    Content.write(data.resolve("file"), MIB, 1);
    Content.write(here.resolve("file"), MIB, 2);

    assertThat(roundTrips(pull("/data/file"))).isEqualTo(3);
    Content.assertSame(here.resolve("fetched/file"), data.resolve("file"));
    assertThat(roundTrips(push(here.resolve("file")))).isEqualTo(3);
    Content.assertSame(data.resolve("pushed/file"), here.resolve("file"));
  }

  /** The manifest's window is wider than this; beyond it would be one more for each window. */
  @Test
  void manySmallFilesTakeNoMoreThanOne() throws Exception {
    for (int directory = 0; directory < 20; directory++) {
      Path parent = Files.createDirectories(data.resolve("small/" + directory));
      for (int file = 0; file < SMALL_FILES / 20; file++) {
        Files.write(parent.resolve("file" + file), new byte[] {(byte) file});
      }
    }

    int count = roundTrips(pull("/data/small").recursive(true));

    assertThat(count).isBetween(3, 8); // the disk works for a while, too: 10 s would do
    Tree.assertSame(here.resolve("fetched/small"), data.resolve("small"));
  }

  private TransferRequest.Builder pull(String source) {
    return TransferRequest.pull()
        .source(source)
        .destination(here.resolve("fetched"))
        .destinationIsDirectory(true);
  }

  private TransferRequest.Builder push(Path source) {
    return TransferRequest.push()
        .source(source)
        .destination("/data/pushed")
        .destinationIsDirectory(true);
  }

  /** Runs a transfer, and says how many round trips it took. */
  private int roundTrips(TransferRequest.Builder request) throws Exception {
    try (FdtServer server = server();
        DelayedNetwork network = new DelayedNetwork(server.address().getPort(), ROUND_TRIP);
        FdtClient client =
            FdtClient.builder("127.0.0.1")
                .port(network.port())
                .trust(ServerTrust.pinned(server.fingerprint()))
                .build()) {
      TransferReport report = client.start(request.build(), TransferListener.NONE).await();
      assertThat(report.exitStatus()).isZero();
      return network.roundTrips();
    }
  }

  private FdtServer server() throws Exception {
    FdtServer server =
        FdtServer.builder()
            .port(0)
            .bind("127.0.0.1")
            .anonymous(Export.Access.READ_WRITE)
            .export(Export.readWrite("data", data))
            .build();
    server.start();
    return server;
  }
}
