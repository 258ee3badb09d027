package io.fdt.http;

import static io.fdt.http.Web.BLOCK;
import static io.fdt.http.WebServer.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpExchange;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.storage.catalogue.Catalogue;
import java.io.IOException;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.Adler32;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that is wrong, changes its files or breaks off: no read returns other bytes. */
class WrongServerTest {
  private static final byte[] CONTENT = Web.content(10 * BLOCK + 7, 1);
  private static final byte[] SMALL = Web.content(BLOCK, 2);

  private WebServer server;
  private final Web web = new Web(Map.of());

  @BeforeEach
  void serve() throws IOException {
    server = new WebServer().file("/f", CONTENT).file("/small", SMALL);
  }

  @AfterEach
  void stop() {
    web.close();
    server.close();
  }

  private ErrorCode failure(String path, Catalogue.Item item) {
    return catchThrowableOfType(FdtException.class, () -> web.read(server.url(path), item)).code();
  }

  private static boolean isRangeFrom(HttpExchange exchange, int offset) {
    String range = exchange.getRequestHeaders().getFirst("Range");
    return range != null && range.startsWith("bytes=" + offset + "-");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/f", "/small"})
  void aBodyThatIsCutIsAskedForAgain(String path) throws Exception {
    AtomicInteger cuts = new AtomicInteger(2);
    Catalogue.Item item = web.find(server.url(path));
    server.fault(
        exchange -> {
          boolean isCut =
              (path.equals("/small") || isRangeFrom(exchange, 3 * BLOCK))
                  && cuts.getAndDecrement() > 0;
          if (isCut) {
            exchange.getResponseHeaders().set("Content-Range", "bytes 3000-3999/" + CONTENT.length);
            exchange.sendResponseHeaders(path.equals("/f") ? 206 : 200, BLOCK);
            exchange.getResponseBody().write(1);
            exchange.getResponseBody().flush();
          }
          return isCut;
        });
    assertThat(web.read(server.url(path), item)).isEqualTo(path.equals("/f") ? CONTENT : SMALL);
    assertThat(web.waits).containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(2));
  }

  @Test
  void aServerWithoutRangesThatCutsIsReadFromTheStart() throws Exception {
    Catalogue.Item item = web.find(server.withoutRanges().url("/f"));
    cutOnce("\"" + Arrays.hashCode(CONTENT) + "\"");
    assertThat(web.read(server.url("/f"), item)).isEqualTo(CONTENT);
    assertThat(web.waits).containsExactly(Duration.ofSeconds(1));
  }

  @Test
  void aServerThatCutsAndGivesNoVersionIsNotReadOn() throws Exception {
    Catalogue.Item item = web.find(server.url("/f"));
    cutOnce("W/\"weak\"");
    assertThat(failure("/f", item)).isEqualTo(ErrorCode.SOURCE_CHANGED);
  }

  /** Cuts the first whole file in the middle; no ranges. */
  private void cutOnce(String tag) {
    AtomicInteger cuts = new AtomicInteger(1);
    server.withoutRanges();
    server.fault(
        exchange -> {
          boolean isWhole = exchange.getRequestHeaders().getFirst("Range") == null;
          boolean isCut = isWhole && cuts.getAndDecrement() > 0;
          if (isCut) {
            exchange.getResponseHeaders().set("ETag", tag);
            exchange.sendResponseHeaders(200, CONTENT.length);
            exchange.getResponseBody().write(CONTENT, 0, 2500);
            exchange.getResponseBody().flush();
          }
          return isCut;
        });
  }

  @Test
  void anotherRangeThanAskedForIsRefused() throws Exception {
    Catalogue.Item item = web.find(server.url("/f"));
    for (String range : new String[] {"bytes 3001-4000/10007", "bytes 3000-3998/10007", "x", ""}) {
      server.fault(
          exchange ->
              isRangeFrom(exchange, 3 * BLOCK) && sendRange(exchange, range, new byte[BLOCK]));
      assertThat(failure("/f", item)).as(range).isEqualTo(ErrorCode.PROTOCOL);
    }
  }

  private static boolean sendRange(HttpExchange exchange, String range, byte[] bytes)
      throws IOException {
    exchange.getResponseHeaders().set("Content-Range", range);
    WebServer.send(exchange, 206, bytes);
    return true;
  }

  @Test
  void moreOrFewerBytesThanTheRangeAreRefused() throws Exception {
    Catalogue.Item item = web.find(server.url("/f"));
    for (int length : new int[] {BLOCK - 1, BLOCK + 1}) {
      server.fault(
          exchange ->
              isRangeFrom(exchange, 3 * BLOCK)
                  && sendRange(exchange, "bytes 3000-3999/10007", new byte[length]));
      assertThat(failure("/f", item)).isEqualTo(ErrorCode.PROTOCOL);
    }
  }

  @Test
  void anETagThatChangesInTheMiddleFailsTheFile() throws Exception {
    Catalogue.Item item = web.find(server.url("/f"));
    server.fault(
        exchange -> {
          if (isRangeFrom(exchange, 3 * BLOCK)) {
            server.file("/f", Web.content(CONTENT.length, 3));
          }
          return false;
        });
    assertThat(failure("/f", item)).isEqualTo(ErrorCode.SOURCE_CHANGED);
    try (Web second = new Web(Map.of())) {
      assertThat(second.read(server.url("/f"))).isEqualTo(Web.content(CONTENT.length, 3));
    }
  }

  @Test
  void withoutAnETagTheTimeShowsTheChange() throws Exception {
    server.file("/f", CONTENT, "ETag", "");
    Catalogue.Item item = web.find(server.url("/f"));
    assertThat(web.read(server.url("/f"), item)).isEqualTo(CONTENT);
    server.fault(
        exchange -> {
          if (isRangeFrom(exchange, 3 * BLOCK)) {
            server.file(
                "/f",
                new byte[CONTENT.length],
                "ETag",
                "",
                "Last-Modified",
                "Sun, 13 Sep 2020 12:26:41 GMT");
          }
          return false;
        });
    assertThat(failure("/f", item)).isEqualTo(ErrorCode.SOURCE_CHANGED);
  }

  @Test
  void aFileThatGrowsOrShrinksFails() throws Exception {
    Catalogue.Item item = web.find(server.url("/f"));
    Catalogue.Item small = web.find(server.url("/small"));
    for (int change : new int[] {-1, 1}) {
      server.file("/f", Web.content(CONTENT.length + change, 1), "ETag", "\"same\"");
      server.file("/small", Web.content(SMALL.length + change, 1), "ETag", "");
      assertThat(failure("/f", item)).isEqualTo(ErrorCode.SOURCE_CHANGED);
      assertThat(failure("/small", small)).isEqualTo(ErrorCode.SOURCE_CHANGED);
    }
  }

  @Test
  void aFileWithoutAnyVersionIsReadInOneResponseOnly() throws Exception {
    server.file("/f", CONTENT, "ETag", "", "Last-Modified", "");
    assertThat(web.read(server.url("/f"))).isEqualTo(CONTENT);
    assertThat(server.requests()).containsExactly("HEAD /f", "GET /f 0-999", "GET /f");
    assertThat(failure("/f", web.find(server.url("/f")))).isEqualTo(ErrorCode.SOURCE_CHANGED);
  }

  @Test
  void aDigestOfOtherBytesFailsTheFile() throws Exception {
    byte[] other = Web.content(CONTENT.length, 9);
    for (String[] digest :
        new String[][] {
          {"Repr-Digest", "sha-256=:" + base64("SHA-256", other) + ":"},
          {"Repr-Digest", "unknown=:AAAA:, sha-512=:" + base64("SHA-512", other) + ":"},
          {"Digest", "SHA-256=" + base64("SHA-256", other)},
          {"Digest", "md5=" + base64("MD5", other)},
          {"Digest", "adler32=" + adler32(other)},
        }) {
      for (String path : new String[] {"/f", "/small"}) {
        server.file(path, path.equals("/f") ? CONTENT : SMALL, digest);
        Catalogue.Item item = web.find(server.url(path));
        assertThat(failure(path, item)).as(digest[1]).isEqualTo(ErrorCode.VERIFICATION);
        assertThat(item.stamp().isOld()).as("may continue without reading all bytes").isFalse();
      }
    }
  }

  @Test
  void rightDigestsPass() throws Exception {
    for (String[] digest :
        new String[][] {
          {"Repr-Digest", "sha-256=:" + base64("SHA-256", CONTENT) + ":"},
          {"Digest", "SHA-512=" + base64("SHA-512", CONTENT) + ",adler32=00000000"},
          {"Digest", "adler32=" + adler32(CONTENT)},
        }) {
      server.file("/f", CONTENT, digest);
      assertThat(web.read(server.url("/f"))).isEqualTo(CONTENT);
    }
    assertThat(web.find(server.file("/f", CONTENT).url("/f")).stamp().isOld()).isTrue();
  }

  private static String base64(String algorithm, byte[] bytes) throws Exception {
    return Base64.getEncoder().encodeToString(MessageDigest.getInstance(algorithm).digest(bytes));
  }

  private static String adler32(byte[] bytes) {
    Adler32 sum = new Adler32();
    sum.update(bytes);
    return "%08x".formatted(sum.getValue());
  }

  @Test
  void aServerThatFallsSilentIsATimeout() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    Catalogue.Item item = web.find(server.url("/small"));
    try (Web impatient = new Web(Map.of(), Duration.ofMillis(100))) {
      server.fault(
          exchange -> {
            exchange.sendResponseHeaders(200, BLOCK);
            exchange.getResponseBody().flush();
            try {
              end.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
            return true;
          });
      FdtException failure =
          catchThrowableOfType(
              FdtException.class, () -> impatient.read(server.url("/small"), item));
      assertThat(failure.code()).isEqualTo(ErrorCode.TIMEOUT);
      assertThat(impatient.waits).hasSize(4);
    } finally {
      end.countDown();
    }
  }

  @Test
  void aBusyServerIsAskedAgainWhenItSays() throws Exception {
    AtomicInteger busy = new AtomicInteger(3);
    server.fault(
        exchange -> {
          int left = busy.getAndDecrement();
          return switch (left) {
            case 3 -> status(exchange, 429, "Retry-After", "7");
            case 2 -> status(exchange, 503, "", "");
            case 1 -> status(exchange, 503, "Retry-After", "Sun, 13 Sep 2020 12:26:40 GMT");
            default -> false;
          };
        });
    assertThat(web.find(server.url("/f")).size()).isEqualTo(CONTENT.length);
    assertThat(web.waits)
        .containsExactly(Duration.ofSeconds(7), Duration.ofSeconds(2), Duration.ZERO);
  }

  @Test
  void aServerThatStaysBusyOrNamesALongWaitIsLeft() {
    server.fault(exchange -> status(exchange, 503, "", ""));
    assertThat(findFailure("/f").code()).isEqualTo(ErrorCode.BUSY);
    assertThat(web.waits).hasSize(4);

    server.fault(exchange -> status(exchange, 429, "Retry-After", "3600"));
    assertThat(findFailure("/f")).hasMessageContaining("429");
    assertThat(web.waits).hasSize(4);
  }

  private FdtException findFailure(String path) {
    return catchThrowableOfType(FdtException.class, () -> web.find(server.url(path)));
  }

  @Test
  void eachStatusIsAClearError() throws Exception {
    Catalogue.Item item = web.find(server.url("/small"));
    Map<Integer, ErrorCode> codes =
        Map.of(
            401, ErrorCode.UNAUTHENTICATED,
            403, ErrorCode.FORBIDDEN,
            404, ErrorCode.NOT_FOUND,
            410, ErrorCode.NOT_FOUND,
            500, ErrorCode.IO,
            418, ErrorCode.PROTOCOL);
    codes.forEach(
        (status, code) -> {
          server.fault(exchange -> status(exchange, status, "", ""));
          assertThat(failure("/small", item)).as("status " + status).isEqualTo(code);
        });
    server.fault(exchange -> false);
    assertThat(web.catalogue.find(BytePath.of(server.url("/none")))).isEmpty();
  }
}
