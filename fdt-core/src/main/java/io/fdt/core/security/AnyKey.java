package io.fdt.core.security;

import java.net.Socket;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * A trust manager that accepts any key; the owner of the connection checks it after the handshake.
 * Stateless.
 */
final class AnyKey extends X509ExtendedTrustManager {
  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
    // Checked after the handshake, where the user can be asked, too.
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {
    throw new UnsupportedOperationException("no sockets here");
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) {}

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
    // Checked when the client presents its ticket.
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {
    throw new UnsupportedOperationException("a client");
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) {}

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return new X509Certificate[0];
  }
}
