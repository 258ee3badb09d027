package io.fdt.core.transport.tcp;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.security.Identity;
import io.fdt.core.security.ServerTls;
import io.fdt.core.security.Tls;
import io.fdt.core.transport.TestServer;
import io.fdt.core.wire.Preface;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/**
 * A server that wants to see a certificate refuses who shows none when the client, in TLS 1.3, has
 * ended its handshake and speaks already.
 */
class HandshakeRefusalTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);

  /** What it writes must not cost it what it was told: a connection reset takes both. */
  @Test
  void whoGoesOnSpeakingHearsWhyItIsRefused() throws Exception {
    Identity identity = Identity.generate();
    try (ServerTls tls = new ServerTls(identity, identity.chain());
        TestServer server =
            new TestServer(
                TcpTransport::new,
                DEADLINE,
                CompletableFuture.completedFuture(tls),
                connection -> {
                  throw new AssertionError("it has shown no certificate");
                },
                stream -> {
                  throw new AssertionError("it has no session");
                });
        Socket socket = new Socket(server.address().getAddress(), server.address().getPort());
        SSLSocket client = securedClient(socket)) {
      Awaitility.await("the server's alert")
          .atMost(DEADLINE)
          .until(() -> socket.getInputStream().available() > 0);
      OutputStream out = client.getOutputStream();
      for (int i = 0; i < 1000; i++) {
        out.write('x'); // a record of its own each
      }
      assertThatThrownBy(() -> client.getInputStream().read())
          .isInstanceOf(SSLException.class)
          .hasMessageContaining("certificate"); // required, says BoringSSL; bad, says the JDK

      // It does not close; the server keeps nothing of it for long.
      Awaitility.await("the server has closed")
          .atMost(DEADLINE)
          .until(() -> isReset(socket.getOutputStream()));
    }
  }

  private static boolean isReset(OutputStream out) {
    try {
      out.write('x');
      return false;
    } catch (IOException reset) {
      return true;
    }
  }

  private static SSLSocket securedClient(Socket socket) throws Exception {
    socket.setSoTimeout(Math.toIntExact(DEADLINE.toMillis()));
    socket.setTcpNoDelay(true);
    var preface = Unpooled.buffer();
    Preface.of(Preface.Kind.CONTROL).write(preface);
    socket.getOutputStream().write(ByteBufUtil.getBytes(preface));
    socket.getInputStream().readNBytes(Preface.LENGTH);
    SSLContext context = SSLContext.getInstance("TLSv1.3");
    context.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
    SSLSocket client =
        (SSLSocket) context.getSocketFactory().createSocket(socket, "localhost", 1, false);
    SSLParameters parameters = client.getSSLParameters();
    parameters.setApplicationProtocols(new String[] {Tls.Purpose.CONTROL.protocol()});
    client.setSSLParameters(parameters);
    client.startHandshake();
    return client;
  }
}
