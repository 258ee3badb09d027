package io.fdt.e2e.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.e2e.CommandProcess;
import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Programs;
import io.fdt.e2e.Shell;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Copies from nginx with TLS, by {@code fdt-http.jar} beside {@code fdt.jar}. */
class HttpCopyTest {
  private static final int LARGE = 16_000_001;

  @RegisterExtension final Lab lab = new Lab();

  private Path jar;
  private Process nginx;
  private int port;
  private int tlsPort;

  @BeforeEach
  void serve() throws IOException {
    Programs.require("nginx", "openssl");
    jar = lab.directory("installed").resolve("fdt.jar");
    Path built = Path.of(System.getProperty("fdt.jar")).toRealPath();
    Files.createLink(jar, built);
    Files.createLink(
        jar.resolveSibling("fdt-http.jar"),
        built.resolveSibling("../../fdt-http/target/fdt-http.jar").toRealPath());
    Content.write(lab.root().resolve("web/large"), LARGE, 1);
    Content.write(lab.root().resolve("web/tree/blocks"), 2_500_000, 2);
    Content.write(lab.root().resolve("web/tree/a b/small"), 1000, 4);
    try (ServerSocket free = new ServerSocket(0);
        ServerSocket another = new ServerSocket(0)) {
      port = free.getLocalPort();
      tlsPort = another.getLocalPort();
    }
    Path home = lab.directory("nginx");
    Shell.run(
        home,
        """
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
          -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 -keyout key.pem -out cert.pem
        cat > nginx.conf <<END
        daemon off; master_process off; pid pid; error_log error;
        events {}
        http {
          access_log off; client_body_temp_path b; proxy_temp_path p; fastcgi_temp_path f;
          uwsgi_temp_path u; scgi_temp_path s;
          server {
            listen 127.0.0.1:%d; listen 127.0.0.1:%d ssl; ssl_certificate cert.pem; ssl_certificate_key key.pem;
            root ../web; autoindex on;
          }
        }
        END
        """
            .formatted(port, tlsPort));
    nginx =
        new ProcessBuilder("bash", "-c", "PATH=$PATH:/usr/sbin exec nginx -p . -c nginx.conf")
            .directory(home.toFile())
            .redirectErrorStream(true)
            .redirectOutput(home.resolve("out").toFile())
            .start();
    await().atMost(Duration.ofSeconds(20)).until(this::listens);
    lab.environment("SSL_CERT_FILE", home.resolve("cert.pem").toString());
  }

  private boolean listens() {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  @AfterEach
  void stop() throws InterruptedException {
    if (nginx != null) {
      nginx.destroy();
      assertThat(nginx.waitFor()).isZero();
    }
  }

  private CommandProcess copy(String... words) {
    List<String> all = new ArrayList<>(List.of("-jar", jar.toString(), "copy"));
    all.addAll(List.of(words));
    return lab.startJava(List.of(), all);
  }

  @Test
  void aTreeArrivesByTlsAndASecondRunMovesNothing() {
    String tree = "https://127.0.0.1:" + tlsPort + "/tree";
    assertThat(copy("-r", tree, "in").end().expect(0).summary()).contains("2 files, ");

    for (String name : List.of("tree/blocks", "tree/a b/small")) {
      assertThat(lab.root().resolve("in").resolve(name))
          .hasSameBinaryContentAs(lab.root().resolve("web").resolve(name));
    }
    assertThat(copy("-r", tree, "in").end().expect(0).summary()).contains("0 files, 0 B");
  }

  @Test
  void aKilledCopyContinues() {
    String large = "http://127.0.0.1:" + port + "/large";
    Path in = lab.directory("in");
    CommandProcess killed = copy("--limit", "4M", large, "in/");
    Lab.awaitUnfinished(in, 6);
    killed.kill();

    assertThat(copy(large, "in/").end().expect(0).summary()).contains("were there already");
    assertThat(in.resolve("large")).hasSameBinaryContentAs(lab.root().resolve("web/large"));
  }
}
