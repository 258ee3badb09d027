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

/** What is the same in TLS at both ends: version, engine and application protocols. Stateless. */
public final class Tls {
  /** What a connection is for, as ALPN says it. */
  public enum Purpose {
    CONTROL("fdt-control/1"),
    DATA("fdt-data/1");

    private final String protocol;

    Purpose(String protocol) {
      this.protocol = protocol;
    }

    /** The name that both sides must have agreed upon. */
    public String protocol() {
      return protocol;
    }
  }

  private static final String VERSION = "TLSv1.3";

  private Tls() {}

  /** BoringSSL, where the platform has it, is faster than the JDK's: "make bench-tls" compares. */
  static SslProvider provider() {
    return isNative() ? SslProvider.OPENSSL : SslProvider.JDK;
  }

  /** Whether this platform has BoringSSL. */
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
                // The only behaviours that both engines have; the outcome is checked afterwards.
                ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                purpose.protocol()));
  }

  /** Whether a finished handshake was for this purpose. */
  public static boolean isFor(SslHandler handler, Purpose purpose) {
    return purpose.protocol().equals(handler.applicationProtocol());
  }

  /** The certificates that the other side has shown and proven, its own first; empty when none. */
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
