package io.fdt.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.fdt.core.error.FdtException;
import io.netty.buffer.Unpooled;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;

/** The words of FDT_S3, and how a store answers to them. */
class SettingsTest {
  private static StoreServer server;

  @BeforeAll
  static void start(@TempDir Path directory) throws Exception {
    server = StoreServer.startMoto(directory);
  }

  @AfterAll
  static void stop() {
    if (server != null) {
      server.close();
    }
  }

  private static ObjectPath in(Bucket bucket, String key) {
    return new ObjectPath(bucket.name, key);
  }

  /** An object of one request, and one of parts. */
  private static List<HeadObjectResponse> written(Bucket bucket) throws Exception {
    String unused =
        new ObjectWriter(bucket.store, in(bucket, "small"))
            .put(Unpooled.wrappedBuffer(new byte[10]), Map.of(), Conditions.NEW);
    ObjectWriter large = new ObjectWriter(bucket.store, in(bucket, "large"));
    MultipartUpload upload = large.begin(Map.of());
    UploadedPart part = large.part(upload, 1, new byte[10], 10);
    unused = large.complete(upload, List.of(part), Conditions.NEW);
    return List.of(bucket.head("small"), bucket.head("large"));
  }

  @Test
  void objectsAreEncryptedAsAsked() throws Exception {
    assertThat(written(new Bucket("sse=AES256")))
        .allMatch(object -> object.serverSideEncryptionAsString().equals("AES256"));
    assertThat(written(new Bucket("sse=aws:kms sse-kms-key-id=key requester-pays")))
        .allMatch(object -> object.serverSideEncryptionAsString().equals("aws:kms"))
        .allMatch(object -> object.ssekmsKeyId().endsWith("key"));
  }

  @Test
  void anArchivedObjectIsNamedAsSuchUntilItIsRestored() throws Exception {
    Bucket bucket = new Bucket("storage-class=GLACIER");
    assertThat(written(bucket)).allMatch(object -> object.storageClassAsString().equals("GLACIER"));

    assertThatThrownBy(() -> read(bucket))
        .isInstanceOf(FdtException.class)
        .hasMessageContaining("'" + bucket.url("small") + "' is archived")
        .hasMessageContaining("restore it first");
    Object unused =
        bucket.client.restoreObject(
            request ->
                request
                    .bucket(bucket.name)
                    .key("small")
                    .restoreRequest(restore -> restore.days(1)));
    assertThat(read(bucket)).isEqualTo(10);
  }

  private static int read(Bucket bucket) throws Exception {
    try (ObjectReader reader = new ObjectReader(bucket.store, in(bucket, "small"), 10, 0)) {
      return reader.read(Unpooled.buffer(), 10, 0);
    }
  }

  @Test
  void anAnonymousRequestIsNotSigned() throws Exception {
    assertThat(signatures(new Store(Map.of(Settings.VARIABLE, "anonymous")), 404))
        .containsExactly("null");
    assertThat(signatures(new Store(Map.of()), 404))
        .singleElement()
        .asString()
        .startsWith("AWS4-HMAC-SHA256 ");
  }

  @Test
  void aStoreThatAsksToSlowDownIsAskedAgain() throws Exception {
    Store store = new Store(Map.of());

    assertThat(signatures(store, 503, 429, 404)).hasSize(3);
    assertThat(new S3Storage(store).slowedBy())
        .isEqualTo("the store of s3:// asked 2 times to slow down (503 or 429)");
  }

  /**
   * Looks for an object at a store of these answers.
   *
   * @return the signature of each request
   */
  private static List<String> signatures(Store store, int... answers) throws Exception {
    List<String> signatures = new CopyOnWriteArrayList<>();
    HttpServer http =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    http.createContext(
        "/",
        exchange -> {
          signatures.add("" + exchange.getRequestHeaders().getFirst("Authorization"));
          exchange.sendResponseHeaders(answers[signatures.size() - 1], -1);
          exchange.close();
        });
    http.start();
    System.setProperty(StoreServer.ENDPOINT, "http://127.0.0.1:" + http.getAddress().getPort());
    try {
      assertThat(store.find(new ObjectPath("bucket", "key"))).isEmpty();
    } finally {
      System.setProperty(StoreServer.ENDPOINT, server.url);
      http.stop(0);
    }
    return signatures;
  }

  @Test
  void anUnknownWordIsRefused() {
    assertThatThrownBy(() -> Settings.of(Map.of(Settings.VARIABLE, "path-style anonymus")))
        .isInstanceOf(FdtException.class)
        .hasMessageContaining("FDT_S3 has the unknown word 'anonymus': use anonymous,");
  }
}
