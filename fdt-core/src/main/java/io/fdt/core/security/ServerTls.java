package io.fdt.core.security;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLException;

/**
 * The server's side of TLS. Any thread.
 *
 * <p>Two threads of its own compute handshakes, so that many of them do not delay the event loops.
 */
public final class ServerTls implements AutoCloseable {
  private static final int HANDSHAKE_THREADS = 2;

  private final Identity identity;
  private final SslContext control;
  private final List<X509Certificate> clientAuthorities;
  private SslContext identifiedControl;
  private SslContext web;
  private final SslContext data;
  private final ExecutorService handshakes =
      Executors.newFixedThreadPool(
          HANDSHAKE_THREADS,
          work -> {
            Thread thread = new Thread(work, "fdt-server-handshake");
            thread.setDaemon(true);
            return thread;
          });

  /**
   * @param identity presented to clients
   * @param clientAuthorities one of which must have signed a client's certificate; empty when
   *     clients need none
   */
  public ServerTls(Identity identity, List<X509Certificate> clientAuthorities) {
    this.identity = identity;
    this.control = context(identity, clientAuthorities, Tls.Purpose.CONTROL, false);
    this.clientAuthorities = List.copyOf(clientAuthorities);
    this.data = context(identity, List.of(), Tls.Purpose.DATA, false);
  }

  private static SslContext context(
      Identity identity,
      List<X509Certificate> clientAuthorities,
      Tls.Purpose purpose,
      boolean wantsClients) {
    SslContextBuilder builder = SslContextBuilder.forServer(new OneKey(identity));
    if (clientAuthorities.isEmpty()) {
      builder.clientAuth(wantsClients ? ClientAuth.REQUIRE : ClientAuth.NONE);
      builder.trustManager(new AnyKey()); // without one, the JDK loads all well-known authorities
    } else {
      builder.clientAuth(ClientAuth.REQUIRE);
      builder.trustManager(clientAuthorities.toArray(X509Certificate[]::new));
    }
    try {
      return Tls.configure(builder, purpose).build();
    } catch (SSLException e) {
      throw new IllegalStateException("TLS 1.3 is not supported", e);
    }
  }

  /** The certificates presented to clients, its own first. */
  public List<X509Certificate> certificates() {
    return identity.chain();
  }

  /**
   * The handler of a new connection of this purpose.
   *
   * @param identified whether the client must present a certificate, which the caller checks
   */
  public SslHandler handler(Tls.Purpose purpose, boolean identified, ByteBufAllocator allocator) {
    SslContext context =
        switch (purpose) {
          case CONTROL -> identified ? identifiedControl() : control;
          case DATA -> data;
          case WEB -> web();
        };
    Executor executor = handshakes;
    return context.newHandler(allocator, executor);
  }

  /** Created when the first server dials this one, to speed up the start. */
  private synchronized SslContext identifiedControl() {
    if (identifiedControl == null) {
      identifiedControl = context(identity, clientAuthorities, Tls.Purpose.CONTROL, true);
    }
    return identifiedControl;
  }

  /** Created for the first client over HTTP, which few servers have. */
  private synchronized SslContext web() {
    if (web == null) {
      web = context(identity, clientAuthorities, Tls.Purpose.WEB, false);
    }
    return web;
  }

  @Override
  public void close() {
    handshakes.shutdownNow();
  }
}
