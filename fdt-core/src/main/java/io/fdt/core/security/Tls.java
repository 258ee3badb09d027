package io.fdt.core.security;

import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLPeerUnverifiedException;

/**
 * Settings of TLS that are common to both ends: version, engine and application protocols.
 * Stateless.
 */
public final class Tls {
  /** The purpose of a connection, agreed by ALPN. */
  public enum Purpose {
    CONTROL("fdt-control/1"),
    DATA("fdt-data/1"),
    WEB("http/1.1");

    private final String protocol;

    Purpose(String protocol) {
      this.protocol = protocol;
    }

    /** The protocol name that both sides must agree on. */
    public String protocol() {
      return protocol;
    }
  }

  private static final String VERSION = "TLSv1.3";

  private Tls() {}

  /** BoringSSL if the platform supports it: faster than the JDK's TLS ("make bench-tls"). */
  static SslProvider provider() {
    return isNative() ? SslProvider.OPENSSL : SslProvider.JDK;
  }

  /** Whether this platform supports BoringSSL. */
  public static boolean isNative() {
    return OpenSsl.isAvailable();
  }

  static SslContextBuilder configure(SslContextBuilder builder, Purpose purpose) {
    return builder
        .sslProvider(provider())
        .protocols(VERSION)
        .applicationProtocolConfig(
            new ApplicationProtocolConfig(
                ApplicationProtocolConfig.Protocol.ALPN,
                // The only behaviours that both engines support; the outcome is checked afterwards.
                ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                purpose.protocol()));
  }

  /** Whether a finished handshake agreed on this purpose. */
  public static boolean isFor(SslHandler handler, Purpose purpose) {
    return purpose.protocol().equals(handler.applicationProtocol());
  }

  /** The certificates that the peer has proven, its own first; may be empty. */
  public static List<X509Certificate> peerCertificates(SslHandler handler) {
    List<X509Certificate> certificates = new ArrayList<>();
    try {
      for (Certificate certificate : handler.engine().getSession().getPeerCertificates()) {
        certificates.add((X509Certificate) certificate);
      }
    } catch (SSLPeerUnverifiedException e) {
      return List.of();
    }
    return certificates;
  }
}
