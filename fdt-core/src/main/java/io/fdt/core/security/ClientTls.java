package io.fdt.core.security;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLException;

/**
 * The client's side of TLS. Any thread.
 *
 * <p>With authorities the handshake itself checks the server's certificate and host name. Without,
 * it proves only that the server holds the key that it presents; the caller checks that key before
 * anything is sent.
 */
public final class ClientTls {
  private final boolean checksHost;
  private final boolean identified;
  private final SslContext control;
  private final SslContext data;

  /**
   * @param authorities one of which must have signed the server's certificate; empty when the
   *     caller checks the key
   * @param identity presented to servers that request a certificate
   */
  public ClientTls(List<X509Certificate> authorities, Optional<Identity> identity) {
    this(authorities, identity, false);
  }

  /** TLS of a server that dials another server: always presents the server's certificate. */
  public static ClientTls ofServer(Identity identity) {
    return new ClientTls(List.of(), Optional.of(identity), true);
  }

  private ClientTls(
      List<X509Certificate> authorities, Optional<Identity> identity, boolean identified) {
    this.identified = identified;
    this.checksHost = !authorities.isEmpty();
    this.control = context(authorities, identity, Tls.Purpose.CONTROL);
    this.data = context(List.of(), Optional.empty(), Tls.Purpose.DATA);
  }

  private static SslContext context(
      List<X509Certificate> authorities, Optional<Identity> identity, Tls.Purpose purpose) {
    SslContextBuilder builder = SslContextBuilder.forClient();
    if (authorities.isEmpty()) {
      builder.trustManager(new AnyKey()).endpointIdentificationAlgorithm(null);
    } else {
      builder
          .trustManager(authorities.toArray(X509Certificate[]::new))
          .endpointIdentificationAlgorithm("HTTPS");
    }
    identity.ifPresent(own -> builder.keyManager(new OneKey(own)));
    try {
      return Tls.configure(builder, purpose).build();
    } catch (SSLException e) {
      throw new IllegalStateException("TLS 1.3 is not supported", e);
    }
  }

  /** Whether the peer must request the certificate of this end. */
  public boolean isIdentified() {
    return identified;
  }

  /** The handler of a control connection to this host. */
  public SslHandler control(ByteBufAllocator allocator, String host, int port) {
    return checksHost ? control.newHandler(allocator, host, port) : control.newHandler(allocator);
  }

  /** The handler of a data stream; the caller checks the server's key. */
  public SslHandler data(ByteBufAllocator allocator) {
    return data.newHandler(allocator);
  }
}
