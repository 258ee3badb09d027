package io.fdt.core.security;

import java.net.Socket;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * A trust manager that leaves the question whose key it is to the one who has the connection when
 * the handshake is over. Stateless.
 */
final class AnyKey extends X509ExtendedTrustManager {
  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
    // Asked after the handshake, where a person can be asked as well.
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {
    throw new UnsupportedOperationException("no sockets here");
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) {
    // As above.
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
    // Asked when the client presents its ticket.
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {
    throw new UnsupportedOperationException("a client");
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) {
    // As above.
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return new X509Certificate[0];
  }
}
