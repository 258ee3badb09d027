package io.fdt.webdav;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.filter.FileAccess;
import io.fdt.server.Export;
import java.io.ByteArrayInputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WritingTest {
  @TempDir Path root;
  private Site site;
  private final byte[] bytes = new byte[500_001];

  @BeforeEach
  void serve() throws Exception {
    new Random(2).nextBytes(bytes);
    site = new Site(root);
  }

  @AfterEach
  void stop() {
    site.close();
  }

  private List<String> names() throws Exception {
    try (Stream<Path> names = Files.list(site.in)) {
      return names.map(name -> name.getFileName().toString()).sorted().toList();
    }
  }

  private static String sha256(byte[] bytes) throws Exception {
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
    return "sha-256=:" + Base64.getEncoder().encodeToString(digest) + ":";
  }

  @Test
  void aFileIsMadeReplacedAndLogged() throws Exception {
    HttpResponse<byte[]> made = site.put("PUT", "/in/a%20b", bytes);
    HttpResponse<byte[]> replaced = site.put("PUT", "/in/a%20b", new byte[] {1, 2});

    assertThat(made.statusCode()).isEqualTo(201);
    assertThat(made.headers().firstValue("ETag")).isPresent();
    assertThat(replaced.statusCode()).isEqualTo(204);
    assertThat(site.in.resolve("a b")).hasBinaryContent(new byte[] {1, 2});
    assertThat(site.log.get(0).fate()).isEqualTo(FileAccess.Fate.DONE);
    assertThat(site.log.get(0).bytes()).isEqualTo(bytes.length);
  }

  @Test
  void aChunkedBodyOfUnknownLengthArrives() throws Exception {
    HttpClient client = HttpClient.newBuilder().sslContext(Site.trusting()).build();
    HttpRequest request =
        HttpRequest.newBuilder(site.uri("/in/x"))
            .header("Authorization", "Bearer " + site.server.localToken())
            .expectContinue(true)
            .PUT(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(bytes)))
            .build();

    assertThat(client.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(201);
    assertThat(site.in.resolve("x")).hasBinaryContent(bytes);
  }

  @Test
  void aWrongDigestLeavesNothing() throws Exception {
    HttpResponse<byte[]> wrong =
        site.put("PUT", "/in/x", bytes, "Content-Digest", sha256(new byte[1]));
    assertThat(wrong.statusCode()).isEqualTo(400);
    assertThat(names()).isEmpty();

    assertThat(site.put("PUT", "/in/x", bytes, "Repr-Digest", sha256(bytes)).statusCode())
        .isEqualTo(201);
  }

  @Test
  void aCutBodyLeavesTheOldFile() throws Exception {
    site.put("PUT", "/in/x", new byte[] {1});
    try (SSLSocket socket = site.connect()) {
      String head =
          "PUT /in/x HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n"
              + site.authorization()
              + "\r\nhalf";
      socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().flush();
    }
    Site.await(() -> site.log.size() > 1);
    assertThat(site.log.get(1).fate()).isEqualTo(FileAccess.Fate.FAILED);
    assertThat(site.in.resolve("x")).hasBinaryContent(new byte[] {1});
  }

  @Test
  void partsInOrderMakeAFileAndOthersAreRefused() throws Exception {
    byte[] first = Arrays.copyOfRange(bytes, 0, 300_000);
    byte[] second = Arrays.copyOfRange(bytes, 300_000, bytes.length);
    String size = "/" + bytes.length;

    assertThat(part(second, "bytes 300000-500000" + size).statusCode()).isEqualTo(400);
    assertThat(part(first, "bytes 0-299999" + size).statusCode()).isEqualTo(202);
    assertThat(site.ask("HEAD", "/in/x").statusCode()).isEqualTo(404);
    assertThat(part(second, "bytes 300000-500000" + size, sha256(bytes)).statusCode())
        .isEqualTo(201);
    assertThat(site.in.resolve("x")).hasBinaryContent(bytes);
    assertThat(names()).containsExactly("x");
  }

  @Test
  void partsThatAreNotTheirWholeAreRefusedAtTheEnd() throws Exception {
    byte[] first = Arrays.copyOfRange(bytes, 0, 300_000);
    byte[] second = new byte[200_001];

    part(first, "bytes 0-299999/500001");
    assertThat(part(second, "bytes 300000-500000/500001", sha256(bytes)).statusCode())
        .isEqualTo(400);
    assertThat(names()).isEmpty();
  }

  private HttpResponse<byte[]> part(byte[] body, String range, String... digest) throws Exception {
    return digest.length == 0
        ? site.put("PUT", "/in/x", body, "Content-Range", range)
        : site.put("PUT", "/in/x", body, "Content-Range", range, "Repr-Digest", digest[0]);
  }

  @Test
  void conditionsProtectAgainstLostUpdates() throws Exception {
    assertThat(site.put("PUT", "/in/x", bytes, "If-None-Match", "*").statusCode()).isEqualTo(201);
    assertThat(site.put("PUT", "/in/x", bytes, "If-None-Match", "*").statusCode()).isEqualTo(412);
    assertThat(site.put("PUT", "/in/x", bytes, "If-Match", "\"y\"").statusCode()).isEqualTo(412);
    assertThat(site.put("PUT", "/in/x", bytes, "If", "(<urn:uuid:1>)").statusCode()).isEqualTo(412);
  }

  @Test
  void aFileNeedsItsDirectoryAndAWritableExport() throws Exception {
    Files.createDirectory(site.in.resolve("d"));

    assertThat(site.put("PUT", "/in/none/x", bytes).statusCode()).isEqualTo(409);
    assertThat(site.put("PUT", "/in/d", bytes).statusCode()).isEqualTo(405);
    assertThat(site.put("PUT", "/data/x", bytes).statusCode()).isEqualTo(403);
    assertThat(site.put("PUT", "/", bytes).statusCode()).isEqualTo(405);
    assertThat(site.put("PUT", "/in/.fdt-0123456789abcdef.part", bytes).statusCode())
        .isEqualTo(400);
  }

  @Test
  void strangersReadOnlyWhereTheyMay() throws Exception {
    site.close();
    site = new Site(root, builder -> builder.anonymous(Export.Access.READ_ONLY));
    Files.write(site.data.resolve("file"), bytes);
    HttpClient client = HttpClient.newBuilder().sslContext(Site.trusting()).build();

    HttpRequest get = HttpRequest.newBuilder(site.uri("/data/file")).build();
    HttpRequest put =
        HttpRequest.newBuilder(site.uri("/in/x")).PUT(BodyPublishers.ofByteArray(bytes)).build();
    HttpResponse<String> refused = client.send(put, BodyHandlers.ofString());

    assertThat(client.send(get, BodyHandlers.ofByteArray()).body()).isEqualTo(bytes);
    assertThat(refused.statusCode()).isEqualTo(401);
    assertThat(refused.headers().firstValue("WWW-Authenticate").orElse("")).startsWith("Bearer");
    assertThat(names()).isEmpty();
  }

  @Test
  void directoriesAreMadeMovedCopiedAndRemoved() throws Exception {
    assertThat(site.ask("MKCOL", "/in/d/").statusCode()).isEqualTo(201);
    assertThat(site.ask("MKCOL", "/in/d/").statusCode()).isEqualTo(405);
    assertThat(site.ask("MKCOL", "/in/n/d").statusCode()).isEqualTo(409);
    site.put("PUT", "/in/d/x", bytes);

    assertThat(site.ask("COPY", "/in/d", "Destination", "/in/e").statusCode()).isEqualTo(201);
    assertThat(site.ask("MOVE", "/in/d", "Destination", "/in/f").statusCode()).isEqualTo(201);
    assertThat(site.in.resolve("e/x")).hasBinaryContent(bytes);
    assertThat(names()).containsExactly("e", "f");
    assertThat(site.ask("MOVE", "/in/e", "Destination", "/in/f", "Overwrite", "F").statusCode())
        .isEqualTo(412);
    assertThat(site.ask("MOVE", "/in/e", "Destination", "/in/f").statusCode()).isEqualTo(204);
    assertThat(site.ask("MOVE", "/in/f", "Destination", "/in/f/g").statusCode()).isEqualTo(403);
    assertThat(site.ask("COPY", "/in/f", "Destination", "/data/f").statusCode()).isEqualTo(403);
    assertThat(site.ask("MOVE", "/in/f", "Destination", "https://other/f").statusCode())
        .isEqualTo(502);
    assertThat(site.ask("DELETE", "/in/f").statusCode()).isEqualTo(204);
    assertThat(site.ask("DELETE", "/in").statusCode()).isEqualTo(403);
    assertThat(names()).isEmpty();
  }

  @Test
  void propertiesAreListedAndNotKept() throws Exception {
    site.put("PUT", "/in/a%26b", bytes);
    String body =
        "<propfind xmlns='DAV:'><prop><getcontentlength/><x xmlns='u:\"'/></prop></propfind>";

    HttpResponse<byte[]> one =
        site.put("PROPFIND", "/in/", body.getBytes(StandardCharsets.UTF_8), "Depth", "1");

    assertThat(one.statusCode()).isEqualTo(207);
    assertThat(Site.text(one))
        .contains("<D:href>/in/</D:href>", "<D:href>/in/a%26b</D:href>")
        .contains("<D:getcontentlength>500001</D:getcontentlength>")
        .contains("<X:x xmlns:X=\"u:&quot;\"/>");
    assertThat(Site.text(site.ask("PROPFIND", "/in/", "Depth", "0"))).doesNotContain("a%26b");
    HttpResponse<byte[]> infinite = site.ask("PROPFIND", "/in/", "Depth", "infinity");
    assertThat(infinite.statusCode()).isEqualTo(403);
    assertThat(Site.text(infinite)).contains("propfind-finite-depth");
    assertThat(site.ask("PROPPATCH", "/in/a%26b").statusCode()).isEqualTo(403);
    assertThat(site.ask("LOCK", "/in/a%26b").statusCode()).isEqualTo(405);
  }
}
