package io.fdt.e2e.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.client.AccessToken;
import io.fdt.client.FdtClient;
import io.fdt.client.NettestRequest;
import io.fdt.client.ServerTrust;
import io.fdt.client.Transfer;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.Grant;
import io.fdt.core.model.RelayGrant;
import io.fdt.core.unit.ByteSize;
import io.fdt.e2e.CommandProcess;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Shell;
import io.fdt.server.NamedTokens;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A server whose process can open nothing more, for whatever reason. */
class DescriptorsTest {
  private static final Duration DEADLINE = Duration.ofSeconds(40);

  @RegisterExtension final Lab lab = Lab.ofProcesses();

  private final List<Socket> idle = new ArrayList<>();
  private CommandProcess server;
  private NamedTokens tokens;
  private FdtClient client;
  private Transfer running;

  @BeforeEach
  void serve() throws Exception {
    lab.directory("data");
    Path home = lab.root().resolve("home");
    tokens = NamedTokens.ofHome(home);
    String token =
        tokens.create(
            new Grant(
                "bob",
                Instant.now(),
                Optional.empty(),
                false,
                Set.of(),
                List.of(),
                true,
                false,
                RelayGrant.UNLIMITED));
    server = lab.serveProcess("--export", "data", "--metrics", "0");
    client =
        FdtClient.builder("127.0.0.1")
            .port(server.port())
            .trust(ServerTrust.knownHosts(home, ServerTrust.FirstContact.ACCEPT))
            .token(AccessToken.of(token))
            .build();
    running =
        client.start(
            new NettestRequest(
                TransferRequest.Direction.PULL,
                2,
                Duration.ofSeconds(80),
                ByteSize.ofBytes(1 << 16),
                ByteSize.ofBytes(0)));
    await("it moves").atMost(DEADLINE).until(() -> running.progress().figures().bytesDone() > 0);
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    for (Socket socket : idle) {
      socket.close();
    }
  }

  /** A token file that cannot be opened is no revocation. */
  @Test
  void transfersGoOnWhileNothingCanBeOpened() throws Exception {
    limitDescriptors("3");
    connectAndSayNothing();
    await("it is in the log").atMost(DEADLINE).until(() -> has("tokens cannot be read"));
    await("so is that nobody can connect")
        .atMost(DEADLINE)
        .until(() -> has("cannot accept connections"));
    long before = running.progress().figures().bytesDone();
    Thread.sleep(1500); // its tokens are read three times
    assertThat(running.completion()).isNotDone();
    assertThat(running.progress().figures().bytesDone()).isGreaterThan(before);
    assertThat(count("tokens cannot be read")).as("lines").isEqualTo(1);
    assertThat(server.err()).doesNotContain("exceptionCaught").doesNotContain("DefaultChannel");

    limitDescriptors("1000");
    await("it goes on as before").atMost(DEADLINE).until(() -> has("tokens can be read again"));
    tokens.revoke("bob");
    assertThat(end().failureMessage()).contains("revoked");
  }

  /** One is kept for that. */
  @Test
  void revokingIsNoticedAlsoWhenAllAreUsedUp() throws Exception {
    limitDescriptors(Integer.toString(descriptors() + 20));
    await("all are used up")
        .atMost(DEADLINE)
        .pollInterval(Duration.ofMillis(20))
        .until(
            () -> {
              connectAndSayNothing();
              return has("cannot accept connections");
            });

    tokens.revoke("bob");

    // Those who say nothing are closed after 10 s: until it ends, others take their places.
    await("the end")
        .atMost(DEADLINE)
        .pollInterval(Duration.ofMillis(100))
        .until(
            () -> {
              connectAndSayNothing();
              return running.completion().isDone();
            });
    TransferReport report = running.completion().join();
    assertThat(report.failure()).contains(ErrorCode.UNAUTHENTICATED);
    assertThat(report.failureMessage()).contains("revoked");
  }

  private TransferReport end() throws Exception {
    return running.completion().get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
  }

  private void connectAndSayNothing() throws IOException {
    idle.add(new Socket(InetAddress.getLoopbackAddress(), server.port()));
  }

  private void limitDescriptors(String most) {
    Shell.run(lab.root(), "prlimit --pid " + server.pid() + " --nofile=" + most + ":");
  }

  private int descriptors() {
    byte[] count = Shell.run(lab.root(), "ls /proc/" + server.pid() + "/fd | wc -l");
    return Integer.parseInt(new String(count, StandardCharsets.US_ASCII).strip());
  }

  private boolean has(String line) {
    return count(line) > 0;
  }

  private long count(String line) {
    return server.err().lines().filter(text -> text.contains(line)).count();
  }
}
