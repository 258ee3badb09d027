package io.fdt.e2e.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fdt.client.FdtClient;
import io.fdt.client.Transfer;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.transport.memory.MemoryNetwork;
import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Server and client as they are, over a transport that is not TCP. */
class MemoryTransportE2eTest {
  private static final int MIB = 1 << 20;
  private static final int SMALL_FILES = 300;

  @RegisterExtension final Lab lab = new Lab();

  private final MemoryNetwork network = new MemoryNetwork();
  private FdtServer server;
  private Path data;
  private Path copies;

  @BeforeEach
  void serveATree() throws Exception {
    data = lab.directory("data");
    copies = lab.directory("copies");
    Content.write(data.resolve("large"), 24 * MIB + 7, 1);
    Content.write(data.resolve("sub/medium"), 3 * MIB, 2);
    Content.write(data.resolve("sub/empty"), 0, 3);
    for (int i = 0; i < SMALL_FILES; i++) {
      Content.write(data.resolve("small/" + i), 37L * i, 10 + i);
    }
    Shell.run(data, "mkdir none; ln -s large link");
    server =
        FdtServer.builder()
            .port(0)
            .bind("127.0.0.1")
            .transport(network::create)
            .export(Export.readOnly("data", data))
            .export(Export.readWrite("copies", copies))
            .build();
    server.start();
  }

  @AfterEach
  void close() {
    server.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void pullCopiesATree(boolean encrypted) throws Exception {
    try (FdtClient client = client(encrypted)) {
      TransferReport report = client.start(pull(), TransferListener.NONE).await();
      checkWhole(report, lab.root().resolve("pulled/data"));
    }
    assertThat(network.streamsEver()).isPositive();
    assertThatThrownBy(
            () -> new Socket(InetAddress.getLoopbackAddress(), server.address().getPort()))
        .as("no socket listens")
        .isInstanceOf(IOException.class);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void pushCopiesATree(boolean encrypted) throws Exception {
    try (FdtClient client = client(encrypted)) {
      checkWhole(client.start(push(), TransferListener.NONE).await(), copies.resolve("data"));
    }
    assertThat(network.streamsEver()).isPositive();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aTransferGoesOnWhenItsStreamsAreCut(boolean push) throws Exception {
    cutInTheMiddle(push, network::cutStreams);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aTransferGoesOnWhenItsControlConnectionIsCutToo(boolean push) throws Exception {
    cutInTheMiddle(push, network::cutConnections);
  }

  private interface Cut {
    int connections();
  }

  private void cutInTheMiddle(boolean push, Cut cut) throws Exception {
    AtomicLong sent = new AtomicLong();
    AtomicBoolean isCut = new AtomicBoolean();
    network.setMiddle(
        (stream, frame, onward) -> {
          if (sent.addAndGet(frame.length) < 8 * MIB || isCut.get()) {
            onward.accept(frame);
          } // otherwise it is on its way until its stream is cut
        });
    try (FdtClient client = client(false)) {
      Transfer transfer =
          client.start((push ? pushing() : pulling()).build(), TransferListener.NONE);
      await("the middle").atMost(30, TimeUnit.SECONDS).until(() -> sent.get() >= 8 * MIB);
      int streams = network.streamsEver();

      isCut.set(true);
      assertThat(cut.connections()).isPositive();

      TransferReport report = transfer.completion().get(60, TimeUnit.SECONDS);
      checkWhole(report, push ? copies.resolve("data") : lab.root().resolve("pulled/data"));
      assertThat(network.streamsEver()).isGreaterThan(streams);
    }
  }

  @Test
  void aStoppedServerIsUnreachable() throws Exception {
    server.close();
    try (FdtClient client = client(false)) {
      assertThatThrownBy(() -> client.start(pull(), TransferListener.NONE).await())
          .isInstanceOfSatisfying(
              FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE));
    }
  }

  private void checkWhole(TransferReport report, Path copy) {
    assertThat(report.problems()).isEmpty();
    assertThat(report.exitStatus()).isZero();
    assertThat(report.figures().files().done()).isEqualTo(SMALL_FILES + 3);
    Tree.assertSame(copy, data);
  }

  private FdtClient client(boolean encrypted) {
    return FdtClient.builder("127.0.0.1")
        .port(server.address().getPort())
        .transport(network::create)
        .encryptData(encrypted)
        .build();
  }

  private TransferRequest pull() {
    return pulling().build();
  }

  private TransferRequest.Builder pulling() {
    return TransferRequest.pull()
        .source("/data")
        .destination(lab.root().resolve("pulled"))
        .destinationIsDirectory(true)
        .recursive(true);
  }

  private TransferRequest push() {
    return pushing().build();
  }

  private TransferRequest.Builder pushing() {
    return TransferRequest.push()
        .source(data)
        .destination("/copies")
        .destinationIsDirectory(true)
        .recursive(true);
  }
}
