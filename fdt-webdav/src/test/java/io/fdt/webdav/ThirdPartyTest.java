package io.fdt.webdav;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.filter.FileAccess;
import io.fdt.core.unit.RateSchedule;
import io.fdt.server.ServerLimits;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** COPY between two servers. */
class ThirdPartyTest {
  @TempDir Path root;
  private final byte[] bytes = new byte[5_000_001];
  private SSLContext usual;
  private Site near;
  private Site far;

  @BeforeEach
  void serve() throws Exception {
    usual = SSLContext.getDefault();
    SSLContext.setDefault(Site.trusting());
    new Random(3).nextBytes(bytes);
    near = new Site(root.resolve("near"));
    far = new Site(root.resolve("far"));
  }

  @AfterEach
  void stop() {
    near.close();
    far.close();
    SSLContext.setDefault(usual);
  }

  private HttpResponse<byte[]> copy(String path, String... headers) throws Exception {
    String[] all = Arrays.copyOf(headers, headers.length + 2);
    all[headers.length] = "TransferHeaderAuthorization";
    all[headers.length + 1] = "Bearer " + far.server.localToken();
    return near.ask("COPY", path, all);
  }

  @Test
  void aFileIsPulledAndItsDigestCompared() throws Exception {
    Files.write(far.data.resolve("file"), bytes);

    HttpResponse<byte[]> copied = copy("/in/x", "Source", far.uri("/data/file").toString());

    assertThat(copied.statusCode()).isEqualTo(202);
    assertThat(Site.text(copied))
        .startsWith("Perf Marker\n    Timestamp: ")
        .contains("Stripe Bytes Transferred: 5000001\n")
        .endsWith("End\nsuccess: Created\n");
    assertThat(near.in.resolve("x")).hasBinaryContent(bytes);
    assertThat(near.log).extracting(FileAccess::fate).containsExactly(FileAccess.Fate.DONE);
  }

  @Test
  void aFileIsPulledInSeveralStreams() throws Exception {
    Files.write(far.data.resolve("file"), bytes);
    Site.await(
        () -> {
          String tag = far.ask("HEAD", "/data/file").headers().firstValue("ETag").orElse("");
          return tag.startsWith("\"");
        });

    HttpResponse<byte[]> copied =
        copy("/in/x", "Source", far.uri("/data/file").toString(), "X-Number-Of-Streams", "3");

    assertThat(Site.text(copied)).endsWith("success: Created\n");
    assertThat(near.in.resolve("x")).hasBinaryContent(bytes);
    assertThat(far.log.stream().filter(one -> one.bytes() == 5_000_001 / 3)).hasSize(3);
  }

  @Test
  void aFileIsPushedAndItsDigestCompared() throws Exception {
    Files.write(near.data.resolve("file"), bytes);

    HttpResponse<byte[]> copied =
        copy(
            "/data/file",
            "Destination",
            far.uri("/in/y").toString(),
            "Credential",
            "none",
            "X-Number-Of-Streams", // as gfal2 sends it
            "0");

    assertThat(Site.text(copied)).endsWith("success: Created\n");
    assertThat(far.in.resolve("y")).hasBinaryContent(bytes);
  }

  @Test
  void failuresOfTheOtherServerAreTheLastLine() throws Exception {
    HttpResponse<byte[]> missing = copy("/in/x", "Source", far.uri("/data/none").toString());
    HttpResponse<byte[]> unwritable =
        copy("/data/none", "Destination", far.uri("/data/y").toString());

    assertThat(Site.text(missing)).contains("failure: ").contains("404");
    assertThat(unwritable.statusCode()).isEqualTo(404);
    assertThat(near.in).isEmptyDirectory();
  }

  @Test
  void anExistingFileStaysWithoutOverwrite() throws Exception {
    Files.write(near.in.resolve("x"), new byte[1]);
    Files.write(far.data.resolve("file"), bytes);
    String source = far.uri("/data/file").toString();

    assertThat(copy("/in/x", "Source", source, "Overwrite", "F").statusCode()).isEqualTo(412);
    assertThat(Site.text(copy("/in/x", "Source", source))).endsWith("success: Created\n");
  }

  @Test
  void addressesBeyondTheRuleAndOtherSchemesAreRefused() throws Exception {
    near.close();
    near = new Site(root.resolve("near"), builder -> builder.dialTo(List.of("192.0.2.0/24")));
    String source = far.uri("/data/file").toString();

    assertThat(Site.text(copy("/in/x", "Source", source)))
        .contains("failure: connecting to 127.0.0.1, its own machine, is not allowed", "--dial-to");
    for (String url :
        List.of(
            "http://x/y",
            "file:///etc/passwd",
            "https://u:p@x/y",
            "ftp://x/",
            "https:///y",
            "https://x:0/y",
            "https://x:99999/y")) {
      assertThat(copy("/in/x", "Source", url).statusCode()).as(url).isEqualTo(400);
    }
    assertThat(copy("/in/x", "Source", source, "TransferHeaderHost", "y").statusCode())
        .isEqualTo(400);
    assertThat(copy("/in/x", "Source", source, "Credential", "gridsite").statusCode())
        .isEqualTo(400);
  }

  @Test
  void aServerWithoutThirdPartyCopiesNothing() throws Exception {
    near.close();
    near = new Site(root.resolve("near"), builder -> builder.thirdParty(false));

    assertThat(copy("/in/x", "Source", far.uri("/data/file").toString()).statusCode())
        .isEqualTo(403);
  }

  @Test
  void aClientThatLeavesEndsTheCopyOnBothSides() throws Exception {
    far.close();
    far =
        new Site(
            root.resolve("far"),
            builder -> builder.limits(ServerLimits.DEFAULT.withRate(RateSchedule.parse("500K"))));
    Files.write(far.data.resolve("file"), bytes);
    try (SSLSocket socket = near.connect()) {
      String request =
          "COPY /in/x HTTP/1.1\r\nHost: x\r\n"
              + near.authorization()
              + "Source: "
              + far.uri("/data/file")
              + "\r\nTransferHeaderAuthorization: Bearer "
              + far.server.localToken()
              + "\r\nRequireChecksumVerification: false\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().flush();
      BufferedReader answer =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
      Site.await(() -> answer.readLine().matches(" +Stripe Bytes Transferred: [1-9].*"));
    }
    Site.await(() -> !near.log.isEmpty() && !far.log.isEmpty());
    assertThat(near.log.get(0).fate()).isEqualTo(FileAccess.Fate.FAILED);
    assertThat(far.log.get(0).bytes()).isLessThan(bytes.length);
    assertThat(near.in).isEmptyDirectory();
  }
}
