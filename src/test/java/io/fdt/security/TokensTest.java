package io.fdt.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.client.AccessToken;
import io.fdt.client.FdtClient;
import io.fdt.client.NettestRequest;
import io.fdt.client.ServerTrust;
import io.fdt.client.Transfer;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Grant;
import io.fdt.core.model.RelayGrant;
import io.fdt.core.unit.BitRate;
import io.fdt.core.unit.ByteSize;
import io.fdt.core.unit.RateSchedule;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import io.fdt.server.NamedTokens;
import io.fdt.server.ServerLimits;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What tokens let their holders do: each kind of token on each verb. */
class TokensTest {
  /** Enough for a measurement that runs until it is ended, without both processors. */
  private static final RateSchedule RATE = RateSchedule.always(BitRate.parse("80Mbit/s"));

  @TempDir Path directory;

  private NamedTokens tokens;
  private FdtServer server;

  @BeforeEach
  void start() throws Exception {
    for (String export : List.of("open", "closed")) {
      Files.createDirectory(directory.resolve(export));
      Files.writeString(directory.resolve(export).resolve("file"), "content of " + export);
    }
    tokens = NamedTokens.ofHome(directory.resolve("home"));
    server =
        FdtServer.builder()
            .port(0)
            .bind("127.0.0.1")
            .home(directory.resolve("home"))
            .export(Export.readWrite("open", directory.resolve("open")))
            .export(Export.readWrite("closed", directory.resolve("closed")))
            .limits(ServerLimits.DEFAULT.withRate(RATE))
            .build();
    server.start();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void aTokenThatIsWrongOpensNothing() throws Exception {
    assertAll("fdt_wrong", ErrorCode.UNAUTHENTICATED);
  }

  @Test
  void aTokenThatHasExpiredOpensNothing() throws Exception {
    Instant now = Instant.now();
    String token =
        tokens.create(
            new Grant(
                "late",
                now,
                Optional.of(now.minusSeconds(1)),
                false,
                Set.of(),
                List.of(),
                true,
                false,
                RelayGrant.UNLIMITED));
    awaitGood(create("seen"));

    assertAll(token, ErrorCode.UNAUTHENTICATED);
  }

  @Test
  void aTokenThatWasRevokedOpensNothing() throws Exception {
    String token = create("gone");
    awaitGood(token);
    tokens.revoke("gone");
    Awaitility.await()
        .atMost(30, TimeUnit.SECONDS)
        .until(() -> outcomeOfList(token, "/open") == ErrorCode.UNAUTHENTICATED);

    assertAll(token, ErrorCode.UNAUTHENTICATED);
  }

  @Test
  void aTokenForAnotherAddressOpensNothing() throws Exception {
    String token =
        tokens.create(
            new Grant(
                "far",
                Instant.now(),
                Optional.empty(),
                false,
                Set.of(),
                List.of("192.0.2.0/24", "::1"),
                true,
                false,
                RelayGrant.UNLIMITED));
    awaitGood(create("seen"));

    assertAll(token, ErrorCode.FORBIDDEN);
  }

  @Test
  void aTokenForADataNodeOpensNothing() throws Exception {
    String token = tokens.create(Grant.dataNode("node", Instant.now()));
    awaitGood(create("seen"));

    assertAll(token, ErrorCode.FORBIDDEN);
  }

  @Test
  void aTokenForOneExportReachesNoOther() throws Exception {
    String token =
        tokens.create(
            new Grant(
                "narrow",
                Instant.now(),
                Optional.empty(),
                false,
                Set.of(FileName.of("open")),
                List.of(),
                true,
                false,
                RelayGrant.UNLIMITED));
    awaitGood(token);

    assertThat(outcomeOfPull(token, "/open/file")).isNull();
    assertThat(outcomeOfPush(token, "/open/new")).isNull();
    assertThat(outcomeOfList(token, "/")).isNull();
    assertThat(namesIn(token, "/")).containsExactly("open");
    for (String hidden : List.of("/closed", "/closed/file", "/nowhere")) {
      assertThat(outcomeOfList(token, hidden)).isEqualTo(ErrorCode.FORBIDDEN);
      assertThat(outcomeOfPull(token, hidden)).isEqualTo(ErrorCode.FORBIDDEN);
      assertThat(outcomeOfPush(token, hidden)).isEqualTo(ErrorCode.FORBIDDEN);
    }
    assertThat(directory.resolve("closed").toFile().list()).containsExactly("file");
  }

  @Test
  void aTokenForReadingChangesNothing() throws Exception {
    String token =
        tokens.create(
            new Grant(
                "ro",
                Instant.now(),
                Optional.empty(),
                true,
                Set.of(),
                List.of(),
                true,
                false,
                RelayGrant.UNLIMITED));
    awaitGood(token);

    assertThat(outcomeOfPull(token, "/open/file")).isNull();
    assertThat(outcomeOfPush(token, "/open/new")).isEqualTo(ErrorCode.FORBIDDEN);
    assertThat(outcomeOfPush(token, "/open/file")).isEqualTo(ErrorCode.FORBIDDEN);
    assertThat(directory.resolve("open").toFile().list()).containsExactly("file");
    assertThat(directory.resolve("open/file")).hasContent("content of open");
  }

  @Test
  void revokingEndsTheTransfersThatRun() throws Exception {
    String token = create("alice");
    awaitGood(token);
    try (FdtClient client = client(token);
        FdtClient other = client(server.localToken())) {
      Transfer revoked = client.start(nettest());
      Transfer untouched = other.start(nettest());
      awaitMoving(revoked);
      awaitMoving(untouched);

      tokens.revoke("alice");

      TransferReport report = revoked.completion().get(30, TimeUnit.SECONDS);
      assertThat(report.failure()).contains(ErrorCode.UNAUTHENTICATED);
      assertThat(report.failureMessage()).contains("alice", "revoked");
      assertThat(report.exitStatus()).isEqualTo(4);
      long before = untouched.progress().figures().bytesDone();
      Awaitility.await()
          .atMost(30, TimeUnit.SECONDS)
          .until(() -> untouched.progress().figures().bytesDone() > before);
      untouched.cancel();
    }
  }

  /** The server reads its tokens again and again; one that is as it was stays good. */
  @Test
  void aTokenWithEveryBoundThatIsReadAgainEndsNothing() throws Exception {
    Instant now = Instant.now();
    String token =
        tokens.create(
            new Grant(
                "bounded",
                now,
                Optional.of(now.plusSeconds(3600)),
                true,
                Set.of(FileName.of("open")),
                List.of("127.0.0.0/8", "::1"),
                true,
                false,
                RelayGrant.UNLIMITED));
    awaitGood(token);
    try (FdtClient client = client(token)) {
      Transfer running = client.start(nettest());
      awaitMoving(running);
      awaitGood(create("later")); // its tokens were read since
      awaitGood(create("last"));

      long before = running.progress().figures().bytesDone();
      Awaitility.await()
          .atMost(30, TimeUnit.SECONDS)
          .until(() -> running.progress().figures().bytesDone() > before + (64 << 20));
      assertThat(running.completion()).isNotDone();
      running.cancel();
    }
  }

  @Test
  void expiryEndsTheTransfersThatRun() throws Exception {
    awaitGood(create("seen")); // all is loaded, which takes seconds on a busy machine
    Instant now = Instant.now();
    String token =
        tokens.create(
            new Grant(
                "brief",
                now,
                Optional.of(now.plusSeconds(6)),
                false,
                Set.of(),
                List.of(),
                true,
                false,
                RelayGrant.UNLIMITED));
    awaitGood(token);
    try (FdtClient client = client(token)) {
      TransferReport report = client.start(nettest()).completion().get(60, TimeUnit.SECONDS);

      assertThat(report.failure()).contains(ErrorCode.UNAUTHENTICATED);
      assertThat(report.failureMessage()).contains("brief", "expired");
    }
  }

  private String create(String name) throws FdtException {
    return tokens.create(
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

  /** A running server follows its files; this says that it has. */
  private void awaitGood(String token) {
    Awaitility.await()
        .atMost(30, TimeUnit.SECONDS)
        .until(() -> outcomeOfList(token, "/open") == null);
  }

  private static void awaitMoving(Transfer transfer) {
    Awaitility.await()
        .atMost(30, TimeUnit.SECONDS)
        .until(() -> transfer.progress().figures().bytesDone() > 0);
  }

  private void assertAll(String token, ErrorCode expected) throws Exception {
    assertThat(expected.exitStatus()).isEqualTo(4);
    assertThat(outcomeOfList(token, "/open")).isEqualTo(expected);
    assertThat(outcomeOfPull(token, "/open/file")).isEqualTo(expected);
    assertThat(outcomeOfPush(token, "/open/new")).isEqualTo(expected);
    try (FdtClient client = client(token)) {
      TransferReport report = client.start(nettest()).completion().get(30, TimeUnit.SECONDS);
      assertThat(report.failure()).contains(expected);
      assertThat(report.failureMessage()).doesNotContain(token).doesNotContain("\n");
    }
    assertThat(directory.resolve("open").toFile().list()).containsExactly("file");
  }

  private static NettestRequest nettest() {
    return new NettestRequest(
        TransferRequest.Direction.PULL,
        1,
        Duration.ofSeconds(60),
        ByteSize.ofBytes(1 << 16),
        ByteSize.ofBytes(0));
  }

  private List<String> namesIn(String token, String path) throws Exception {
    try (FdtClient client = client(token)) {
      return client.list(BytePath.of(path)).stream().map(file -> file.name().toString()).toList();
    }
  }

  private ErrorCode outcomeOfList(String token, String path) throws Exception {
    try (FdtClient client = client(token)) {
      client.list(BytePath.of(path));
      return null;
    } catch (FdtException e) {
      assertThat(e.getMessage()).doesNotContain(token).doesNotContain("\n");
      return e.code();
    }
  }

  private ErrorCode outcomeOfPull(String token, String path) throws Exception {
    Path here = Files.createTempDirectory(directory, "here");
    return outcome(
        token, TransferRequest.pull().source(path).destination(here).recursive(true).build());
  }

  private ErrorCode outcomeOfPush(String token, String path) throws Exception {
    Path source = Files.createTempFile(directory, "source", "");
    Files.writeString(source, "from outside");
    return outcome(token, TransferRequest.push().source(source).destination(path).build());
  }

  /** Null when everything arrived; a failed file counts as the failure that it had. */
  private ErrorCode outcome(String token, TransferRequest request) throws Exception {
    try (FdtClient client = client(token)) {
      TransferReport report =
          client.start(request, TransferListener.NONE).completion().get(60, TimeUnit.SECONDS);
      if (report.exitStatus() == 0) {
        return null;
      }
      ErrorCode code =
          report.failure().isPresent() ? report.failure().get() : report.problems().get(0).code();
      assertThat(report.exitStatus()).isEqualTo(code.exitStatus());
      return code;
    }
  }

  private FdtClient client(String token) {
    return FdtClient.builder("127.0.0.1")
        .port(server.address().getPort())
        .trust(ServerTrust.pinned(server.fingerprint()))
        .token(AccessToken.of(token))
        .build();
  }
}
