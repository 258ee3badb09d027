package io.fdt.security;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.fdt.client.FdtClient;
import io.fdt.client.NettestRequest;
import io.fdt.client.Transfer;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.unit.ByteSize;
import io.fdt.core.wire.Preface;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Depth;
import io.fdt.core.wire.control.Look;
import io.fdt.core.wire.control.Request;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import io.fdt.server.ServerLimits;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Peers that take what they can get: they are stopped, and others are served meanwhile. */
@Timeout(180)
class LimitsTest {
  private static final Duration SHORT = Duration.ofMillis(700);
  private static final Duration BRIEF = Duration.ofSeconds(3);
  private static final int STRANGERS = 64;
  private static final int FLOOD = 600;

  @TempDir Path directory;

  private final List<RawPeer> peers = new ArrayList<>();
  private FdtServer server;
  private InetSocketAddress address;

  @AfterEach
  void stop() throws Exception {
    for (RawPeer peer : peers) {
      peer.close();
    }
    if (server != null) {
      server.close();
    }
  }

  private void start(ServerLimits limits) throws Exception {
    server =
        FdtServer.builder()
            .port(0)
            .bind("127.0.0.1")
            .export(Export.readWrite("data", directory))
            .limits(limits)
            .idleTimeout(Duration.ofSeconds(20))
            .build();
    server.start();
    address = server.address();
  }

  /** Wherever it stops, its connection ends, and that of others does not. */
  @Test
  void whoDoesNotGoOnIsClosedAtEachStep() throws Exception {
    start(ServerLimits.DEFAULT.withHandshake(SHORT));
    byte[] control = RawPeer.preface(Preface.VERSION, RawPeer.CONTROL, 0);
    byte[] data = RawPeer.preface(Preface.VERSION, RawPeer.DATA, 0);
    byte[] encryptedData = RawPeer.preface(Preface.VERSION, RawPeer.DATA, 1);

    // All of them first: their deadlines run at the same time.
    RawPeer silent = control();
    RawPeer half = control();
    half.write(new byte[] {0, 0, 0, 50, 1, 2});
    Map<String, RawPeer> stopped = new LinkedHashMap<>();
    stopped.put("before the preface", said());
    stopped.put("within the preface", said(Arrays.copyOf(control, 7)));
    stopped.put("before TLS", said(control));
    stopped.put("within the first record of TLS", said(control, new byte[] {0x16, 3, 1, 2}));
    stopped.put("before the join", said(data));
    stopped.put("within the join", said(data, new byte[51]));
    stopped.put("before TLS of data", said(encryptedData));

    for (RawPeer peer : List.of(silent, half)) {
      Control answer = peer.receive();
      assertThat(answer.getAbort().getCode()).isEqualTo(ErrorCode.TIMEOUT.wireCode());
      assertThat(answer.getAbort().getMessage()).startsWith("no hello came");
    }
    stopped.put("before the hello", silent);
    stopped.put("within the hello", half);
    stopped.forEach(LimitsTest::assertClosed);
  }

  /** One that has ended its handshake of TLS in time: a busy machine needs several attempts. */
  private RawPeer control() {
    RawPeer peer =
        Awaitility.await("a handshake that is short enough")
            .atMost(60, TimeUnit.SECONDS)
            .pollDelay(Duration.ZERO)
            .ignoreExceptionsInstanceOf(IOException.class)
            .until(() -> RawPeer.control(address), connected -> true);
    peers.add(peer);
    return peer;
  }

  private RawPeer said(byte[]... words) throws IOException {
    RawPeer peer = RawPeer.connect(address);
    peers.add(peer);
    for (byte[] word : words) {
      peer.write(word);
    }
    return peer;
  }

  private static void assertClosed(String where, RawPeer peer) {
    assertThat(peer.readUntilClosed().length).as(where).isLessThanOrEqualTo(16 + 7 + 4);
  }

  @Test
  void trickledBytesBuyNoTime() throws Exception {
    start(ServerLimits.DEFAULT.withHandshake(SHORT));
    RawPeer peer = said(RawPeer.MAGIC);
    Awaitility.await("the server closes on a peer that sends byte by byte")
        .atMost(30, TimeUnit.SECONDS)
        .pollInterval(Duration.ofMillis(200))
        .until(
            () -> {
              try {
                peer.write(new byte[] {0});
                return false;
              } catch (IOException e) {
                return true;
              }
            });
  }

  /** Of the strangers the oldest goes: who comes next is always let in, and transfers go on. */
  @Test
  void aFloodKeepsNobodyOut() throws Exception {
    // None of them is closed because its time is over, however slow all of this is.
    start(ServerLimits.DEFAULT.withStrangers(STRANGERS).withHandshake(Duration.ofMinutes(3)));
    byte[] content = new byte[20 << 20];
    new Random(6).nextBytes(content);
    Files.write(directory.resolve("file"), content);
    byte[] control = RawPeer.preface(Preface.VERSION, RawPeer.CONTROL, 0);

    try (FdtClient client = client(server.localToken())) {
      Transfer before = client.start(nettest(3));
      Awaitility.await().atMost(30, TimeUnit.SECONDS).until(() -> isMoving(before));
      for (int i = 0; i < FLOOD; i++) {
        said(i % 2 == 0 ? new byte[0] : control);
      }
      Transfer during = client.start(pull("/data/file"), TransferListener.NONE);
      // Known by now: within its handshake it is a stranger like them, and this flood is faster.
      Awaitility.await().atMost(30, TimeUnit.SECONDS).until(() -> isMoving(during));
      for (int i = 0; i < FLOOD; i++) {
        said(i % 2 == 0 ? new byte[0] : control);
      }

      TransferReport report = during.completion().get(90, TimeUnit.SECONDS);
      assertThat(report.failureMessage()).isEmpty();
      assertThat(report.exitStatus()).isZero();
      assertThat(Files.readAllBytes(directory.resolve("here/file"))).isEqualTo(content);
      assertStillMoving(before);
      before.cancel();
    }
    // Some of them may not even be accepted yet.
    Awaitility.await("strangers of one address that are not too many")
        .atMost(60, TimeUnit.SECONDS)
        .until(() -> open() <= STRANGERS / 2);
    assertThat(open()).isPositive();
    RawPeer newcomer = RawPeer.greeted(address, server.localToken());
    peers.add(newcomer);
    assertThat(newcomer.receive().hasWelcome()).isTrue();
  }

  private int open() throws IOException {
    int open = 0;
    for (RawPeer peer : peers) {
      open += peer.isOpen() ? 1 : 0;
    }
    return open;
  }

  /** Whoever was told nothing yet is told why. */
  @Test
  void whoHasToGoIsToldThatTheServerIsFull() throws Exception {
    start(ServerLimits.DEFAULT.withStrangers(4));
    RawPeer first = said();
    said();
    said();

    byte[] answer = first.readUntilClosed();

    assertThat(answer).hasSize(16).endsWith(0, 0, 0, ErrorCode.BUSY.wireCode());
  }

  @Test
  void oneTokenGetsHalfOfTheClients() throws Exception {
    start(ServerLimits.DEFAULT.withClients(6));
    for (int i = 0; i < 3; i++) {
      RawPeer peer = RawPeer.greeted(address, server.localToken());
      peers.add(peer);
      assertThat(peer.receive().hasWelcome()).isTrue();
    }
    try (RawPeer fourth = RawPeer.greeted(address, server.localToken())) {
      Control answer = fourth.receive();
      assertThat(answer.getAbort().getCode()).isEqualTo(ErrorCode.BUSY.wireCode());
      assertThat(answer.getAbort().getMessage()).contains("3 clients", "try again in a minute");
    }
    peers.get(0).close();
    Awaitility.await("the place of a client that has gone")
        .atMost(30, TimeUnit.SECONDS)
        .until(
            () -> {
              RawPeer next = RawPeer.greeted(address, server.localToken());
              peers.add(next);
              return next.receive().hasWelcome();
            });
  }

  @Test
  void aTransferTooManyIsToldToComeAgain() throws Exception {
    start(ServerLimits.DEFAULT.withSessions(2));
    try (FdtClient client = client(server.localToken())) {
      Transfer running = client.start(nettest(1));
      Awaitility.await().atMost(30, TimeUnit.SECONDS).until(() -> isMoving(running));

      TransferReport refused = refused(client, 1);

      assertThat(refused.failure()).contains(ErrorCode.BUSY);
      assertThat(refused.exitStatus()).isEqualTo(3);
      assertThat(refused.failureMessage()).contains("1 transfers", "try again in a minute");
      running.cancel();
      running.completion().get(60, TimeUnit.SECONDS);
      Awaitility.await("the place of a transfer that has ended")
          .atMost(30, TimeUnit.SECONDS)
          .until(
              () -> {
                Transfer next = client.start(nettest(1));
                Awaitility.await()
                    .atMost(30, TimeUnit.SECONDS)
                    .until(() -> isMoving(next) || next.completion().isDone());
                next.cancel();
                TransferReport report = next.completion().get(60, TimeUnit.SECONDS);
                return !report.failure().equals(java.util.Optional.of(ErrorCode.BUSY));
              });
    }
  }

  @Test
  void memoryThatIsNotThereIsNotPromised() throws Exception {
    start(ServerLimits.DEFAULT.withMemoryBytes(40 << 20));
    try (FdtClient client = client(server.localToken())) {
      TransferReport much =
          client
              .start(
                  new NettestRequest(
                      TransferRequest.Direction.PUSH,
                      64,
                      BRIEF,
                      ByteSize.ofBytes(1 << 20),
                      ByteSize.ofBytes(0)))
              .completion()
              .get(60, TimeUnit.SECONDS);
      assertThat(much.failure()).contains(ErrorCode.USAGE);
      assertThat(much.failureMessage()).contains("fewer streams");

      Transfer fits = client.start(nettest(2));
      Awaitility.await().atMost(30, TimeUnit.SECONDS).until(() -> isMoving(fits));
      TransferReport second = refused(client, 2);
      assertThat(second.failure()).contains(ErrorCode.BUSY);
      assertThat(second.failureMessage()).contains("try again in a minute");
      fits.cancel();
    }
  }

  @Test
  void allSessionsTogetherHaveSoManyStreams() throws Exception {
    start(ServerLimits.DEFAULT.withStreams(8));
    try (FdtClient client = client(server.localToken())) {
      TransferReport tooMany = refused(client, 8);
      assertThat(tooMany.failure()).contains(ErrorCode.USAGE);
      assertThat(tooMany.failureMessage()).contains("8 data streams", "at most 7");

      Transfer most = client.start(nettest(7));
      Awaitility.await().atMost(30, TimeUnit.SECONDS).until(() -> isMoving(most));
      TransferReport second = refused(client, 1);
      assertThat(second.failure()).contains(ErrorCode.BUSY);
      assertThat(second.failureMessage()).contains("try again in a minute");
      assertStillMoving(most);
      most.cancel();
    }
  }

  /** A listing goes no faster than it is read, and a connection has one at a time. */
  @Test
  void aReaderThatDoesNotReadHoldsUpNobody() throws Exception {
    start(ServerLimits.DEFAULT);
    Path many = Files.createDirectory(directory.resolve("many"));
    for (int i = 0; i < 3000; i++) {
      Files.createSymbolicLink(many.resolve("link" + i), Path.of("/" + "x/".repeat(1900)));
    }
    for (int i = 0; i < 8; i++) {
      RawPeer peer = RawPeer.greeted(address, server.localToken());
      peers.add(peer);
      peer.send(list("/data/many"));
    }
    try (FdtClient client = client(server.localToken())) {
      assertThat(client.list(io.fdt.core.model.BytePath.of("/data"))).hasSize(1);
      assertThat(client.list(io.fdt.core.model.BytePath.of("/data/many"))).hasSize(3000);
    }
    try (RawPeer peer = RawPeer.greeted(address, server.localToken())) {
      for (int i = 0; i < 100; i++) {
        peer.send(list("/data/many"));
      }
      Control last = peer.receiveAnswer();
      while (last.hasReply()) {
        last = peer.receiveAnswer();
      }
      assertThat(last.getAbort().getCode()).isEqualTo(ErrorCode.PROTOCOL.wireCode());
    }
  }

  private static Control list(String path) {
    return Control.newBuilder()
        .setRequest(
            Request.newBuilder()
                .setId(1)
                .setLook(
                    Look.newBuilder()
                        .setPath(ByteString.copyFromUtf8(path))
                        .setDepth(Depth.CONTENTS)))
        .build();
  }

  private static boolean isMoving(Transfer transfer) {
    return transfer.progress().figures().bytesDone() > 0;
  }

  private static void assertStillMoving(Transfer transfer) {
    long done = transfer.progress().figures().bytesDone();
    Awaitility.await("a transfer that goes on")
        .atMost(30, TimeUnit.SECONDS)
        .until(() -> transfer.progress().figures().bytesDone() > done);
  }

  private FdtClient client(String token) {
    return FdtClient.builder("127.0.0.1")
        .port(address.getPort())
        .token(io.fdt.client.AccessToken.of(token))
        .build();
  }

  /** One that is over soon if it is not refused. */
  private static TransferReport refused(FdtClient client, int streams) throws Exception {
    return client.start(nettest(streams, BRIEF)).completion().get(60, TimeUnit.SECONDS);
  }

  private static NettestRequest nettest(int streams) {
    return nettest(streams, Duration.ofMinutes(2));
  }

  private static NettestRequest nettest(int streams, Duration duration) {
    return new NettestRequest(
        TransferRequest.Direction.PULL,
        streams,
        duration,
        ByteSize.ofBytes(1 << 18),
        ByteSize.ofBytes(0));
  }

  private TransferRequest pull(String path) {
    return TransferRequest.pull()
        .source(path)
        .destination(directory.resolve("here"))
        .destinationIsDirectory(true)
        .streams(4)
        .blockSize(ByteSize.ofBytes(1 << 18))
        .build();
  }
}
