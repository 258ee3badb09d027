package io.fdt.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.Storage;
import io.fdt.core.storage.catalogue.Catalogue;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A store that answers listings with what no store may, or with very much. */
class HostileStoreTest {
  private static final Map<String, String> PROPERTIES =
      Map.of("aws.accessKeyId", "k", "aws.secretAccessKey", "s", "aws.region", "us-east-1");

  private final List<String> requests = new CopyOnWriteArrayList<>();

  /** The answer to the query of a GET. */
  private volatile UnaryOperator<String> answers;

  private HttpServer http;

  @BeforeEach
  void serve() throws Exception {
    http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    http.createContext(
        "/",
        exchange -> {
          String query = String.valueOf(exchange.getRequestURI().getRawQuery());
          requests.add(exchange.getRequestMethod() + " " + query);
          if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.sendResponseHeaders(404, -1);
            exchange.close();
            return;
          }
          byte[] body = answers.apply(query).getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().set("Content-Type", "application/xml");
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    http.start();
    PROPERTIES.forEach(System::setProperty);
    System.setProperty(StoreServer.ENDPOINT, "http://127.0.0.1:" + http.getAddress().getPort());
  }

  @AfterEach
  void stop() {
    http.stop(0);
    System.clearProperty(StoreServer.ENDPOINT);
  }

  private static String page(String next, String... keys) {
    StringBuilder text = new StringBuilder("<ListBucketResult>");
    for (String key : keys) {
      text.append("<Contents><Key>").append(key).append("</Key><Size>1</Size><ETag>\"e\"</ETag>");
      text.append("<LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>");
    }
    text.append("<EncodingType>url</EncodingType><IsTruncated>").append(next != null);
    text.append("</IsTruncated>");
    if (next != null) {
      text.append("<NextContinuationToken>").append(next).append("</NextContinuationToken>");
    }
    return text.append("</ListBucketResult>").toString();
  }

  private static long names(Storage storage) throws Exception {
    long[] count = {0};
    storage.list(BytePath.of("s3://b/dir"), Storage.Depth.CONTENTS, item -> count[0]++);
    return count[0];
  }

  private static S3Storage storage() {
    return new S3Storage(new Store(Map.of(Settings.VARIABLE, "path-style")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"dir/..", "dir/.", "dir/a%00b", "dir//etc", "dir/a/b", "dir/%2Fetc%2Fpasswd"})
  void aNameThatNoFileCanHaveIsRefused(String key) {
    answers = query -> page(null, "dir/good", key);
    assertThatThrownBy(() -> names(storage()))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_NAME));
  }

  @ParameterizedTest
  @ValueSource(strings = {"etc", "di", "/etc/passwd", "other/x"})
  void aKeyThatWasNotAskedForIsRefusedAndNotRemoved(String key) {
    answers = query -> page(null, key);
    S3Storage storage = storage();
    assertThatThrownBy(() -> names(storage))
        .hasMessageContaining("the store lists '" + key + "', which was not asked for");
    assertThatThrownBy(() -> storage.remove(BytePath.of("s3://b/dir/"), true, null))
        .hasMessageContaining("which was not asked for");
    assertThat(requests)
        .noneMatch(request -> request.startsWith("POST ") || request.startsWith("DELETE "));
  }

  @Test
  void aListingThatDoesNotGoOnIsRefused() {
    for (String next : new String[] {"<![CDATA[same]]>", ""}) {
      answers = query -> page(next, "dir/a");
      assertThatThrownBy(() -> names(storage()))
          .hasMessageContaining("the store lists without an end");
    }
  }

  @Test
  void entitiesOfAListingAreNotExpanded() {
    answers =
        query ->
            "<!DOCTYPE x [<!ENTITY a \"xxxxxxxxxx\"><!ENTITY b \"&a;&a;&a;&a;\">]>"
                + page(null, "dir/&b;");
    assertThatThrownBy(() -> names(storage())).isInstanceOf(FdtException.class);
  }

  @Test
  void aTimeWithALargeExponentIsNoTime() {
    Instant stored = Instant.ofEpochSecond(5);
    for (String time : new String[] {"1e999999999", "1e-999999999", "-1E+2147483647", "x"}) {
      assertThat(ObjectMetadata.modified(Map.of("mtime", time), stored))
          .isEqualTo(new Timestamp(5, 0));
    }
  }

  /**
   * Keys that the store makes up: 10^7 of them with {@code -Dfdt.s3.keys=10000000}. In memory,
   * those of this test would have 14 MB.
   */
  @Test
  void aLongListingIsReadInBoundedMemory() throws Exception {
    int keys = Integer.getInteger("fdt.s3.keys", 40_000);
    answers =
        query -> {
          int first = 0;
          for (String pair : query.split("&")) {
            if (pair.startsWith("continuation-token=")) {
              String token = URLDecoder.decode(pair, StandardCharsets.UTF_8);
              first = Integer.parseInt(token.substring(token.indexOf('=') + 1));
            }
          }
          String[] names = new String[Math.min(1000, keys - first)];
          for (int i = 0; i < names.length; i++) {
            names[i] = "dir/" + "n".repeat(100) + "%08d".formatted(first + i);
          }
          requests.clear();
          int next = first + names.length;
          return page(next < keys ? "" + next : null, names);
        };
    try (S3Catalogue catalogue = new S3Catalogue(new Store(Map.of()), false)) {
      long most = 0;
      int count = 0;
      long before = heap();
      Catalogue.Names names = catalogue.list(BytePath.of("s3://b/dir"));
      while (names.next() != null) {
        if (++count % (keys / 4) == 0) {
          most = Math.max(most, heap() - before);
        }
      }
      assertThat(count).isEqualTo(keys);
      assertThat(most).isLessThan(8L << 20);
    }
  }

  private static long heap() {
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }
}
