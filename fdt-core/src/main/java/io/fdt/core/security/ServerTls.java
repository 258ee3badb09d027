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
 * TLS as a server speaks it. Any thread.
 *
 * <p>What handshakes compute runs on two threads of their own, so that many of them leave the event
 * loops to those who move data.
 */
public final class ServerTls implements AutoCloseable {
  private static final int HANDSHAKE_THREADS = 2;

  private final SslContext control;
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
   * @param identity what clients see
   * @param clientAuthorities who must have signed the certificates of clients; empty when these
   *     need none
   */
  public ServerTls(Identity identity, List<X509Certificate> clientAuthorities) {
    this.control = context(identity, clientAuthorities, Tls.Purpose.CONTROL);
    this.data = context(identity, List.of(), Tls.Purpose.DATA);
  }

  private static SslContext context(
      Identity identity, List<X509Certificate> clientAuthorities, Tls.Purpose purpose) {
    SslContextBuilder builder = SslContextBuilder.forServer(new OneKey(identity));
    if (clientAuthorities.isEmpty()) {
      builder.trustManager(new AnyKey()); // without one, the JDK loads all authorities of the world
    } else {
      builder.clientAuth(ClientAuth.REQUIRE);
      builder.trustManager(clientAuthorities.toArray(X509Certificate[]::new));
    }
    try {
      return Tls.configure(builder, purpose).build();
    } catch (SSLException e) {
      throw new IllegalStateException("TLS 1.3 is not there", e);
    }
  }

  /** What takes over a new connection of this purpose. */
  public SslHandler handler(Tls.Purpose purpose, ByteBufAllocator allocator) {
    SslContext context = purpose == Tls.Purpose.CONTROL ? control : data;
    Executor executor = handshakes;
    return context.newHandler(allocator, executor);
  }

  /** Ends its threads. Idempotent. */
  @Override
  public void close() {
    handshakes.shutdownNow();
  }
}
