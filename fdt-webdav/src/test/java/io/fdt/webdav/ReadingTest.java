package io.fdt.webdav;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.filter.FileAccess;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReadingTest {
  private static final int SIZE = 700_001;

  @TempDir Path root;
  private Site site;
  private final byte[] bytes = new byte[SIZE];

  @BeforeEach
  void serve() throws Exception {
    new Random(1).nextBytes(bytes);
    site = new Site(root);
    Files.write(site.data.resolve("file"), bytes);
    Files.createDirectory(site.data.resolve("sub"));
  }

  @AfterEach
  void stop() {
    site.close();
  }

  private static String header(HttpResponse<?> response, String name) {
    return response.headers().firstValue(name).orElse("");
  }

  @Test
  void aFileArrivesWholeAndIsInTheAccessLog() throws Exception {
    HttpResponse<byte[]> response = site.ask("GET", "/data/file");

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).isEqualTo(bytes);
    assertThat(site.log).hasSize(1);
    assertThat(site.log.get(0).fate()).isEqualTo(FileAccess.Fate.READ);
    assertThat(site.log.get(0).path()).isEqualTo("/data/file");
    assertThat(site.log.get(0).bytes()).isEqualTo(SIZE);
  }

  @Test
  void headHasTheHeadersAndNoBody() throws Exception {
    HttpResponse<byte[]> response = site.ask("HEAD", "/data/file");

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(header(response, "Content-Length")).isEqualTo("" + SIZE);
    assertThat(response.body()).isEmpty();
    assertThat(site.ask("GET", "/data/file").body()).hasSize(SIZE);
  }

  @Test
  void oneRangeArrivesAlone() throws Exception {
    HttpResponse<byte[]> middle = site.ask("GET", "/data/file", "Range", "bytes=10-19");
    HttpResponse<byte[]> end = site.ask("GET", "/data/file", "Range", "bytes=-5");

    assertThat(middle.statusCode()).isEqualTo(206);
    assertThat(header(middle, "Content-Range")).isEqualTo("bytes 10-19/" + SIZE);
    assertThat(middle.body()).isEqualTo(Arrays.copyOfRange(bytes, 10, 20));
    assertThat(end.body()).isEqualTo(Arrays.copyOfRange(bytes, SIZE - 5, SIZE));
  }

  @Test
  void severalRangesArriveInParts() throws Exception {
    HttpResponse<byte[]> response = site.ask("GET", "/data/file", "Range", "bytes=5-5,100-101");

    String text = new String(response.body(), StandardCharsets.ISO_8859_1);
    assertThat(response.statusCode()).isEqualTo(206);
    assertThat(header(response, "Content-Type")).startsWith("multipart/byteranges; boundary=");
    assertThat(text)
        .contains("Content-Range: bytes 5-5/" + SIZE + "\r\n\r\n" + latin(5, 6) + "\r\n--")
        .contains("Content-Range: bytes 100-101/" + SIZE + "\r\n\r\n" + latin(100, 102))
        .endsWith("--\r\n");
  }

  private String latin(int start, int end) {
    return new String(Arrays.copyOfRange(bytes, start, end), StandardCharsets.ISO_8859_1);
  }

  @Test
  void rangesBeyondTheFileAreRefused() throws Exception {
    HttpResponse<byte[]> response = site.ask("GET", "/data/file", "Range", "bytes=700001-");

    assertThat(response.statusCode()).isEqualTo(416);
    assertThat(header(response, "Content-Range")).isEqualTo("bytes */" + SIZE);
  }

  @Test
  void rangesThatOverlapToMoreThanTheFileGetTheWholeOnce() throws Exception {
    String bomb = "bytes=" + "0-,".repeat(1000) + "0-";

    HttpResponse<byte[]> response = site.ask("GET", "/data/file", "Range", bomb);

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).hasSize(SIZE);
  }

  @Test
  void aKnownVersionIsNotSentAgain() throws Exception {
    Files.setLastModifiedTime(
        site.data.resolve("file"), FileTime.from(Instant.parse("2020-01-02T03:04:05Z")));
    String tag = header(site.ask("GET", "/data/file"), "ETag");

    assertThat(site.ask("GET", "/data/file", "If-None-Match", tag).statusCode()).isEqualTo(304);
    assertThat(site.ask("GET", "/data/file", "If-None-Match", "\"x\"").statusCode()).isEqualTo(200);
    assertThat(
            site.ask("GET", "/data/file", "If-Modified-Since", "Thu, 02 Jan 2020 03:04:05 GMT")
                .statusCode())
        .isEqualTo(304);
    assertThat(site.ask("GET", "/data/file", "If-Match", "\"x\"").statusCode()).isEqualTo(412);
    assertThat(
            site.ask("GET", "/data/file", "If-Unmodified-Since", "Wed, 01 Jan 2020 00:00:00 GMT")
                .statusCode())
        .isEqualTo(412);
  }

  @Test
  void rangesOfAnotherVersionGetTheWhole() throws Exception {
    HttpResponse<byte[]> response =
        site.ask("GET", "/data/file", "Range", "bytes=0-9", "If-Range", "\"older\"");

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).hasSize(SIZE);
  }

  @Test
  void theDigestThatIsWantedMostComes() throws Exception {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    byte[] value = ByteBuffer.allocate(4).putInt((int) crc.getValue()).array();

    HttpResponse<byte[]> response =
        site.ask(
            "HEAD",
            "/data/file",
            "Want-Repr-Digest",
            "sha-256=1, crc32c=9, unknown=10",
            "Want-Digest",
            "crc32c;q=0.5, md5;q=0.1");

    assertThat(header(response, "Repr-Digest"))
        .isEqualTo("crc32c=:" + Base64.getEncoder().encodeToString(value) + ":");
    assertThat(header(response, "Digest")).isEqualTo("crc32c=%08x".formatted((int) crc.getValue()));
  }

  @Test
  void aDirectoryIsAPageWithEscapedNamesAndNoScript() throws Exception {
    Files.write(site.data.resolve("<script>alert(1)<&\"'"), bytes);

    HttpResponse<byte[]> response = site.ask("GET", "/data/");

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(header(response, "Content-Security-Policy"))
        .startsWith("default-src 'none'; style-src 'sha256-");
    assertThat(Site.text(response))
        .contains("&lt;script&gt;alert(1)&lt;&amp;&quot;&#39;</a>")
        .contains("<a href=\"./file\">file</a>")
        .contains("<a href=\"./sub/\">sub/</a>")
        .doesNotContain("<script>");
    assertThat(site.ask("GET", "/data").statusCode()).isEqualTo(301);
    assertThat(Site.text(site.ask("GET", "/"))).contains("./data/").contains("./in/");
  }

  @Test
  void aFileOfAUserIsNeverRunByABrowser() throws Exception {
    Files.writeString(site.data.resolve("page.html"), "<script>alert(1)</script>");

    HttpResponse<byte[]> response = site.ask("GET", "/data/page.html");

    assertThat(header(response, "Content-Type")).isEqualTo("application/octet-stream");
    assertThat(header(response, "Content-Security-Policy")).contains("sandbox");
    assertThat(header(response, "X-Content-Type-Options")).isEqualTo("nosniff");
  }

  @Test
  void linksAreNotFollowed() throws Exception {
    Files.createSymbolicLink(site.data.resolve("link"), Path.of("/etc/passwd"));
    Files.createSymbolicLink(site.data.resolve("way"), Path.of("/etc"));

    assertThat(site.ask("GET", "/data/link").statusCode()).isEqualTo(404);
    assertThat(site.ask("GET", "/data/way/passwd").statusCode()).isEqualTo(409);
  }

  @Test
  void missingFilesAndUnknownMethodsHaveTheirStatus() throws Exception {
    assertThat(site.ask("GET", "/data/none").statusCode()).isEqualTo(404);
    assertThat(site.ask("GET", "/other/file").statusCode()).isEqualTo(404);
    HttpResponse<byte[]> post = site.ask("POST", "/data/file");
    assertThat(post.statusCode()).isEqualTo(405);
    assertThat(header(post, "Allow")).contains("GET");
    assertThat(site.ask("OPTIONS", "/").statusCode()).isEqualTo(200);
  }
}
