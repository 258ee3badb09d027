package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Another program at the address of an endpoint: its answer is not for the user. */
@Timeout(120)
class ForeignBytesTest {
  private static final String SECRET = "aSecretOfAnotherProgram";

  @TempDir private Path root;

  /** Answers each connection with the same bytes. */
  private static final class Other implements AutoCloseable {
    private final ServerSocket socket;

    Other(String answer) throws IOException {
      socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
      new Thread(() -> serve(answer.getBytes(StandardCharsets.ISO_8859_1))).start();
    }

    private void serve(byte[] answer) {
      while (!socket.isClosed()) {
        try (Socket client = socket.accept()) {
          client.getOutputStream().write(answer);
          client.shutdownOutput();
          client.getInputStream().readNBytes(1 << 16);
        } catch (IOException e) {
          // the next one, until the end
        }
      }
    }

    int port() {
      return socket.getLocalPort();
    }

    @Override
    public void close() throws IOException {
      socket.close(); // which ends the thread
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SSH-2.0-" + SECRET + "\r\n",
        "HTTP/1.1 200 " + SECRET + "\r\n\r\n" + SECRET,
        "\u0016\u0003\u0001\u0000\u0017" + SECRET,
        "\u0015\u0003\u0003\u0000\u0002\u0002(" + SECRET,
        SECRET + SECRET
      })
  void theBytesOfAnotherProgramAreNotInTheAnswerAboutAnEndpoint(String answer) throws Exception {
    Site site = new Site(root);
    try (Other other = new Other(answer)) {
      Rest rest = site.rest(site.service().url());
      Map<String, Object> endpoint = new LinkedHashMap<>(Site.endpoint("x", site.source()));
      endpoint.put("address", "127.0.0.1:" + other.port());
      String text = rest.post("/api/v1/endpoints", endpoint).expect(422).text();
      String hex = HexFormat.of().formatHex(SECRET.getBytes(StandardCharsets.US_ASCII));
      assertThat(text.toLowerCase(Locale.ROOT))
          .doesNotContain("ecretof", "secret", hex.substring(0, 12));
    } finally {
      site.close();
    }
  }
}
