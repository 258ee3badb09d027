package io.fdt.security;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.fdt.client.AccessToken;
import io.fdt.client.FdtClient;
import io.fdt.client.ServerTrust;
import io.fdt.client.Transfer;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.filter.FilteredTransfer;
import io.fdt.core.filter.Filters;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.spec.TransferSpecCoding;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Direction;
import io.fdt.core.wire.control.OpenSession;
import io.fdt.core.wire.control.Roots;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Between a request and the session: the server's filter takes its time, and the client waits. */
@Timeout(90)
class OpeningTest {
  private static final int DEADLINE_SECONDS = 60;

  @TempDir Path directory;

  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch agreed = new CountDownLatch(1);
  private Path in;
  private Path source;
  private FdtServer server;

  @BeforeEach
  void makeDirectories() throws Exception {
    in = Files.createDirectory(directory.resolve("in"));
    source = Files.createDirectory(directory.resolve("source"));
  }

  @AfterEach
  void stop() {
    agreed.countDown();
    if (server != null) {
      server.close();
    }
  }

  private void start(Duration idleTimeout) throws Exception {
    server =
        FdtServer.builder()
            .port(0)
            .bind("127.0.0.1")
            .export(Export.readWrite("in", in))
            .filters(new Filters(List.of(this::waitForAWord), List.of()))
            .idleTimeout(idleTimeout)
            .stopAfterLastClient(true)
            .build();
    server.start();
  }

  private FilteredTransfer waitForAWord(FilteredTransfer transfer) throws InterruptedException {
    asked.countDown();
    assertThat(agreed.await(DEADLINE_SECONDS, TimeUnit.SECONDS)).isTrue();
    return transfer;
  }

  @Test
  void aServerMayTakeLongerThanItsClientIsPatient() throws Exception {
    Duration patience = Duration.ofSeconds(2);
    start(patience);
    byte[] content = new byte[3 << 20];
    new Random(7).nextBytes(content);
    Files.write(source.resolve("file"), content);
    try (FdtClient client = client(patience)) {
      Transfer transfer = client.start(push(), TransferListener.NONE);
      Awaitility.await("longer than joins wait, and then than the client does without")
          .atMost(Duration.ofSeconds(DEADLINE_SECONDS))
          .until(
              () ->
                  transfer.completion().isDone()
                      || transfer.progress().elapsed().toMillis() > 3 * patience.toMillis());
      agreed.countDown();

      TransferReport report = transfer.completion().get(DEADLINE_SECONDS, TimeUnit.SECONDS);
      assertThat(report.failureMessage()).isEmpty();
      assertThat(Files.readAllBytes(in.resolve("source/file"))).isEqualTo(content);
    }
  }

  /** It has stopped reading by then, and does not take that for silence. */
  @Test
  void aClientThatHasSaidMuchIsNotSilent() throws Exception {
    start(Duration.ofSeconds(2));
    try (RawPeer peer = RawPeer.greeted(server.address(), server.localToken())) {
      peer.send(open());
      for (int number = 1; number <= 40; number++) {
        peer.send(
            Control.newBuilder().setNumber(number).setRoots(Roots.getDefaultInstance()).build());
      }
      assertThat(peer.receive().hasWelcome()).isTrue();
      for (int quarter = 0; quarter < 8; quarter++) {
        Control sign = peer.receive();
        assertThat(sign.hasPing()).as("%s", sign).isTrue();
      }
      agreed.countDown();

      assertThat(peer.receiveAnswer().hasSessionOpened()).isTrue();
    }
  }

  @Test
  void aTransferIsCancelledWhileTheServerWaits() throws Exception {
    start(Duration.ofSeconds(30));
    for (int i = 0; i < 3000; i++) {
      Files.createDirectory(source.resolve("directory-with-a-long-name-" + i));
    }
    try (FdtClient client = client(Duration.ofSeconds(30))) {
      Transfer transfer = client.start(push(), TransferListener.NONE);
      assertThat(asked.await(DEADLINE_SECONDS, TimeUnit.SECONDS)).isTrue();
      transfer.cancel();

      TransferReport report = transfer.completion().get(DEADLINE_SECONDS, TimeUnit.SECONDS);
      assertThat(report.failure()).contains(ErrorCode.CANCELLED);
      server.stopped().get(DEADLINE_SECONDS, TimeUnit.SECONDS); // its last client has gone
    }
    assertThat(in).isEmptyDirectory();
  }

  /** There is nothing to move, and still it is the server that must say so. */
  @Test
  void withoutTheServersWordNothingIsDone() throws Exception {
    Path file = Files.write(source.resolve("file"), new byte[10]);
    try (HostileServer hostile = new HostileServer("").thatHangsUp();
        FdtClient client =
            FdtClient.builder("127.0.0.1")
                .port(hostile.port())
                .trust(ServerTrust.pinned(hostile.fingerprint()))
                .token(AccessToken.of("fdt_any"))
                .build()) {
      io.fdt.core.model.Selection none =
          new io.fdt.core.model.Selection(
              List.of(), 1000, Long.MAX_VALUE, null, null, Integer.MAX_VALUE, false);
      TransferReport report =
          client
              .start(
                  TransferRequest.push().source(file).destination("/in").selection(none).build(),
                  TransferListener.NONE)
              .completion()
              .get(DEADLINE_SECONDS, TimeUnit.SECONDS);

      assertThat(report.failure()).contains(ErrorCode.UNREACHABLE);
      assertThat(report.exitStatus()).isNotZero();
    }
  }

  private FdtClient client(Duration idleTimeout) throws Exception {
    return FdtClient.builder("127.0.0.1")
        .port(server.address().getPort())
        .trust(ServerTrust.pinned(server.fingerprint()))
        .token(AccessToken.of(server.localToken()))
        .idleTimeout(idleTimeout)
        .build();
  }

  private TransferRequest push() {
    return TransferRequest.push()
        .source(source)
        .destination("/in")
        .destinationIsDirectory(true)
        .recursive(true)
        .build();
  }

  private static Control open() {
    return Control.newBuilder()
        .setOpenSession(
            OpenSession.newBuilder()
                .setSessionId(ByteString.copyFrom(new byte[16]))
                .setSessionSecret(ByteString.copyFrom(new byte[32]))
                .setDirection(Direction.PUSH)
                .setSpec(
                    TransferSpecCoding.encode(
                        TransferSpec.builder().destination("/in").streams(1).build())))
        .build();
  }
}
