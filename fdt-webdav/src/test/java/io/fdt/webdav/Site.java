package io.fdt.webdav;

import io.fdt.core.filter.FileAccess;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import io.fdt.server.FdtServerBuilder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * A server with an HTTP port, and a client of it; exports {@code data} (ro) and {@code in} (rw).
 */
final class Site implements AutoCloseable {
  static final Duration PATIENCE = Duration.ofSeconds(20);

  final Path data;
  final Path in;
  final FdtServer server;
  final List<FileAccess> log = new CopyOnWriteArrayList<>();
  private final SSLContext tls = trusting();
  private final HttpClient client =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .sslContext(tls)
          .connectTimeout(PATIENCE)
          .build();

  Site(Path root) throws Exception {
    this(root, builder -> {});
  }

  Site(Path root, Consumer<FdtServerBuilder> settings) throws Exception {
    data = Files.createDirectories(root.resolve("data"));
    in = Files.createDirectories(root.resolve("in"));
    FdtServerBuilder builder =
        FdtServer.builder()
            .port(0)
            .bind("127.0.0.1")
            .http(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .export(Export.readOnly("data", data))
            .export(Export.readWrite("in", in))
            .accessLog(log::add);
    settings.accept(builder);
    server = builder.build();
    server.start();
  }

  /** Accepts any certificate: these tests are about what comes after. */
  static SSLContext trusting() throws GeneralSecurityException {
    TrustManager any =
        new X509ExtendedTrustManager() {
          @Override
          public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

          @Override
          public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

          @Override
          public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

          @Override
          public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

          @Override
          public void checkClientTrusted(X509Certificate[] chain, String type) {}

          @Override
          public void checkServerTrusted(X509Certificate[] chain, String type) {}

          @Override
          public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
          }
        };
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {any}, null);
    return context;
  }

  int port() {
    return server.httpAddress().orElseThrow().getPort();
  }

  URI uri(String path) {
    return URI.create("https://localhost:" + port() + path);
  }

  /** Makes a request with the token of the server's user; headers in pairs. */
  HttpResponse<byte[]> ask(String method, String path, String... headers) throws Exception {
    return put(method, path, new byte[0], headers);
  }

  HttpResponse<byte[]> put(String method, String path, byte[] body, String... headers)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri(path))
            .timeout(PATIENCE)
            .header("Authorization", "Bearer " + server.localToken())
            .method(
                method,
                body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
    for (int i = 0; i < headers.length; i += 2) {
      request.setHeader(headers[i], headers[i + 1]);
    }
    return client.send(request.build(), BodyHandlers.ofByteArray());
  }

  /** A connection whose bytes the test chooses. */
  SSLSocket connect() throws IOException {
    SSLSocket socket =
        (SSLSocket) tls.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port());
    socket.setSoTimeout((int) PATIENCE.toMillis());
    socket.startHandshake();
    return socket;
  }

  /** Sends text as it is, and returns all that the server sends until it closes. */
  String raw(String text) throws IOException {
    try (SSLSocket socket = connect()) {
      socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
      socket.getOutputStream().flush();
      return rest(socket.getInputStream());
    }
  }

  static String rest(InputStream in) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    in.transferTo(all);
    return all.toString(StandardCharsets.ISO_8859_1);
  }

  /** The header with the token, for raw requests. */
  String authorization() {
    return "Authorization: Bearer " + server.localToken() + "\r\n";
  }

  /** Waits for a condition, for a limited time. */
  static void await(Callable<Boolean> condition) throws Exception {
    long endNanos = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.call()) {
      if (System.nanoTime() - endNanos > 0) {
        throw new AssertionError("it does not happen in " + PATIENCE);
      }
      Thread.sleep(10);
    }
  }

  static String text(HttpResponse<byte[]> response) {
    return new String(response.body(), StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    server.close();
  }
}
