package io.fdt.cli.ssh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.client.AccessToken;
import io.fdt.client.FdtClient;
import io.fdt.client.ServerTrust;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The server that a copy starts on a far host, here without SSH between them. */
@Timeout(60)
class SshServerMainTest {
  @TempDir Path directory;

  @Test
  void onlyTheHolderOfItsTokenIsLetInAndItEndsWithItsInput() throws Exception {
    Files.writeString(directory.resolve("file"), "x");
    PipedOutputStream toFarEnd = new PipedOutputStream();
    PipedInputStream fromFarEnd = new PipedInputStream();
    PipedInputStream in = new PipedInputStream(toFarEnd);
    PipedOutputStream out = new PipedOutputStream(fromFarEnd);
    SshServerMain end = new SshServerMain("mark", OptionalInt.empty(), true);
    CompletableFuture<Integer> status =
        CompletableFuture.supplyAsync(
            () -> run(end, in, out), work -> new Thread(work, "far-end").start());

    toFarEnd.write('\n');
    toFarEnd.flush();
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(fromFarEnd, StandardCharsets.US_ASCII));
    String line = lines.readLine();
    while (!line.startsWith("mark hello ")) {
      line = lines.readLine();
    }
    SshGreeting hello = SshGreeting.decode(line.substring("mark hello ".length()));
    assertThat(hello.toString()).doesNotContain(hello.token());

    try (FdtClient client = client(hello, Optional.of(hello.token()))) {
      assertThat(client.list(BytePath.of(directory))).hasSize(1);
    }
    for (Optional<String> token : List.of(Optional.of("fdt_x"), Optional.<String>empty())) {
      try (FdtClient client = client(hello, token)) {
        assertThatThrownBy(() -> client.list(BytePath.of(directory)))
            .isInstanceOfSatisfying(
                FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAUTHENTICATED));
      }
    }

    toFarEnd.close();

    assertThat(status.get(10, TimeUnit.SECONDS)).isZero();
    assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), hello.port()).close())
        .isInstanceOf(ConnectException.class);
  }

  private static int run(SshServerMain end, PipedInputStream in, PipedOutputStream out) {
    try {
      return end.run(in, out);
    } catch (FdtException e) {
      throw new AssertionError(e);
    }
  }

  private static FdtClient client(SshGreeting hello, Optional<String> token) {
    FdtClient.Builder client =
        FdtClient.builder("127.0.0.1")
            .port(hello.port())
            .trust(ServerTrust.pinned(hello.fingerprint()));
    token.ifPresent(text -> client.token(AccessToken.of(text)));
    return client.build();
  }
}
