package io.fdt.webdav;

import io.fdt.core.security.Identity;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;

/** A web server whose answers are the bytes that a test chooses; one answer a connection. */
final class RawServer implements AutoCloseable {
  /** The heads of the requests so far. */
  final List<String> heads = new CopyOnWriteArrayList<>();

  private final SSLServerSocket listener;

  /**
   * Listens on any port.
   *
   * @param answers the bytes to send, by the head of the request
   */
  RawServer(UnaryOperator<String> answers) throws Exception {
    Identity identity = Identity.generate();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    keys.load(null, null);
    keys.setKeyEntry(
        "own", identity.key(), new char[0], identity.chain().toArray(new Certificate[0]));
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, new char[0]);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
    listener =
        (SSLServerSocket)
            context
                .getServerSocketFactory()
                .createServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(() -> accept(answers));
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "raw-server");
    thread.setDaemon(true);
    thread.start();
  }

  String url(String path) {
    return "https://localhost:" + listener.getLocalPort() + path;
  }

  private void accept(UnaryOperator<String> answers) {
    try {
      while (true) {
        SSLSocket socket = (SSLSocket) listener.accept();
        start(() -> serve(socket, answers));
      }
    } catch (IOException e) {
      return; // the test is over
    }
  }

  private void serve(SSLSocket socket, UnaryOperator<String> answers) {
    try (socket) {
      socket.setSoTimeout((int) Site.PATIENCE.toMillis());
      String head = head(socket.getInputStream());
      heads.add(head);
      socket.getOutputStream().write(answers.apply(head).getBytes(StandardCharsets.ISO_8859_1));
      socket.getOutputStream().flush();
      socket.shutdownOutput();
      Site.rest(socket.getInputStream());
    } catch (IOException e) {
      return; // the other end has gone
    }
  }

  private static String head(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      if (next < 0) {
        throw new IOException("no whole head");
      }
      head.append((char) next);
    }
    return head.toString();
  }

  @Override
  public void close() {
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
