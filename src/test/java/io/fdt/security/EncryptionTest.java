package io.fdt.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.client.FdtClient;
import io.fdt.client.ServerTrust;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.unit.ByteSize;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Data within TLS, and that nobody gets it without who was asked for it. */
class EncryptionTest {
  private static final String MARK = "everybody on the way can read this";

  @TempDir Path directory;

  private FdtServer server;

  @AfterEach
  void stop() {
    if (server != null) {
      server.close();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void onlyClearDataCanBeReadOnTheWay(boolean encrypted) throws Exception {
    start(false);
    Path source = directory.resolve("data/tree");
    makeTree(source);
    try (Wire wire = new Wire(server.address(), Wire.NONE);
        FdtClient client = client(wire.port(), encrypted)) {
      TransferReport pulled = run(client, pull("/data/tree", directory.resolve("pulled")));
      TransferReport pushed = run(client, push(source, "/data/pushed"));

      assertThat(pulled.failureMessage() + pulled.problems()).isEqualTo("[]");
      assertThat(pushed.failureMessage() + pushed.problems()).isEqualTo("[]");
      assertThat(wire.hasSeen(MARK)).isEqualTo(!encrypted);
      assertThat(wire.hasSeen("marked-name")).as("control is always encrypted").isFalse();
      assertThat(wire.hasSeen(server.localToken())).isFalse();
    }
    assertSame(source, directory.resolve("pulled/tree"));
    assertSame(source, directory.resolve("data/pushed/tree"));
  }

  @Test
  void aServerThatDemandsEncryptionRefusesClientsWithout() throws Exception {
    start(true);
    makeTree(directory.resolve("data/tree"));
    int port = server.address().getPort();
    try (FdtClient clear = client(port, false);
        FdtClient encrypted = client(port, true)) {
      TransferReport refused = run(clear, pull("/data/tree", directory.resolve("refused")));
      TransferReport done = run(encrypted, pull("/data/tree", directory.resolve("done")));

      assertThat(refused.failure()).contains(ErrorCode.FORBIDDEN);
      assertThat(refused.exitStatus()).isEqualTo(4);
      assertThat(refused.failureMessage()).contains("FdtClient.encryptData(true)");
      assertThat(done.exitStatus()).isZero();
    }
  }

  /** Bit 0 of the flags in the preface of a data stream says that TLS follows. */
  @Test
  void whoeverTakesTheFlagAwayGetsNothingInTheClear() throws Exception {
    start(false);
    makeTree(directory.resolve("data/tree"));
    try (Wire wire = new Wire(server.address(), preface -> preface[11] = 0);
        FdtClient client = client(wire.port(), true)) {
      TransferReport report = run(client, pull("/data/tree", directory.resolve("here")));

      assertThat(report.failure()).isPresent();
      assertThat(report.figures().files().done()).isZero();
      assertThat(wire.hasSeen(MARK)).isFalse();
    }
  }

  /** Who was asked for is who must answer, on each connection. */
  @Test
  void aDataStreamToSomebodyElseEndsTheTransfer() throws Exception {
    start(false);
    makeTree(directory.resolve("data/tree"));
    try (FdtServer other =
            FdtServer.builder()
                .port(0)
                .bind("127.0.0.1")
                .export(Export.readWrite("data", directory.resolve("data")))
                .build();
        Wire wire = detour(other);
        FdtClient client = client(wire.port(), true)) {
      TransferReport report = run(client, pull("/data/tree", directory.resolve("here")));

      assertThat(report.failure()).contains(ErrorCode.UNTRUSTED);
      assertThat(report.exitStatus()).isEqualTo(4);
      assertThat(report.figures().files().done()).isZero();
    }
  }

  private Wire detour(FdtServer other) throws Exception {
    other.start();
    return new Wire(server.address(), other.address(), Wire.NONE);
  }

  /** A pinned key is stricter than everything else, also for a server of the same process. */
  @Test
  void aServerWithAnotherKeyThanThePinnedOneIsRefused() throws Exception {
    start(false);
    makeTree(directory.resolve("data/tree"));
    try (FdtServer other =
            FdtServer.builder()
                .port(0)
                .bind("127.0.0.1")
                .export(Export.readWrite("data", directory.resolve("data")))
                .build();
        FdtClient client =
            FdtClient.builder("127.0.0.1")
                .port(server.address().getPort())
                .trust(ServerTrust.pinned(otherFingerprint(other)))
                .build()) {
      TransferReport report = run(client, pull("/data/tree", directory.resolve("here")));

      assertThat(report.failure()).contains(ErrorCode.UNTRUSTED);
      assertThat(report.exitStatus()).isEqualTo(4);
      assertThat(report.failureMessage())
          .contains(server.fingerprint(), other.fingerprint())
          .doesNotContain("\n");
    }
  }

  private static String otherFingerprint(FdtServer other) throws Exception {
    other.start();
    return other.fingerprint();
  }

  private void start(boolean requireEncryption) throws Exception {
    Files.createDirectory(directory.resolve("data"));
    server =
        FdtServer.builder()
            .port(0)
            .bind("127.0.0.1")
            .requireEncryption(requireEncryption)
            .export(Export.readWrite("data", directory.resolve("data")))
            .build();
    server.start();
  }

  private static FdtClient client(int port, boolean encrypted) {
    return FdtClient.builder("127.0.0.1")
        .port(port)
        .encryptData(encrypted)
        .idleTimeout(Duration.ofSeconds(4))
        .retryTimeout(Duration.ZERO)
        .build();
  }

  private static TransferRequest pull(String from, Path to) {
    return TransferRequest.pull()
        .source(from)
        .destination(to)
        .destinationIsDirectory(true)
        .recursive(true)
        .streams(3)
        .blockSize(ByteSize.ofBytes(64 << 10))
        .build();
  }

  private static TransferRequest push(Path from, String to) {
    return TransferRequest.push()
        .source(from)
        .destination(to)
        .destinationIsDirectory(true)
        .recursive(true)
        .streams(3)
        .blockSize(ByteSize.ofBytes(64 << 10))
        .build();
  }

  private static TransferReport run(FdtClient client, TransferRequest request) throws Exception {
    return client.start(request, TransferListener.NONE).completion().get(60, TimeUnit.SECONDS);
  }

  private static void makeTree(Path root) throws Exception {
    Files.createDirectories(root);
    Files.writeString(root.resolve("marked-name"), MARK);
    Random random = new Random(5);
    for (int size : new int[] {0, 1, 16 << 10, (64 << 10) + 1, 3_000_001}) {
      byte[] bytes = new byte[size];
      random.nextBytes(bytes);
      Files.write(root.resolve("size-" + size), bytes);
    }
  }

  private static void assertSame(Path expected, Path actual) throws Exception {
    for (String name : expected.toFile().list()) {
      assertThat(Files.readAllBytes(actual.resolve(name)))
          .as(name)
          .isEqualTo(Files.readAllBytes(expected.resolve(name)));
    }
  }
}
