package io.fdt.core.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslHandler;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Handshakes in memory. */
class TlsTest {
  private final Identity identity = Identity.generate();

  @Test
  void bothEndsAgreeOnVersionPurposeAndKey() {
    try (ServerTls server = new ServerTls(identity, List.of())) {
      ClientTls client = new ClientTls(List.of(), Optional.empty());
      for (Tls.Purpose purpose : List.of(Tls.Purpose.CONTROL, Tls.Purpose.DATA)) {
        SslHandler there = server.handler(purpose, false, UnpooledByteBufAllocator.DEFAULT);
        SslHandler here = handler(client, purpose);

        shakeHands(here, there);

        assertThat(here.engine().getSession().getProtocol()).isEqualTo("TLSv1.3");
        assertThat(Tls.isFor(here, purpose)).isTrue();
        assertThat(Tls.isFor(there, purpose)).isTrue();
        assertThat(Tls.peerCertificates(here)).isEqualTo(identity.chain());
        assertThat(Tls.peerCertificates(there)).isEmpty();
      }
    }
  }

  @Test
  void aConnectionMeantForOnePurposeIsNotTakenForAnother() {
    try (ServerTls server = new ServerTls(identity, List.of())) {
      SslHandler there = server.handler(Tls.Purpose.DATA, false, UnpooledByteBufAllocator.DEFAULT);
      SslHandler here = handler(new ClientTls(List.of(), Optional.empty()), Tls.Purpose.CONTROL);

      shakeHands(here, there);

      assertThat(Tls.isFor(here, Tls.Purpose.CONTROL)).isFalse();
      assertThat(Tls.isFor(there, Tls.Purpose.DATA)).isFalse();
    }
  }

  @Test
  void aServerWithAnAuthoritySeesTheCertificateOfTheClient() {
    Identity own = Identity.generate(); // signed by itself: its own authority
    try (ServerTls server = new ServerTls(identity, own.chain())) {
      SslHandler there =
          server.handler(Tls.Purpose.CONTROL, false, UnpooledByteBufAllocator.DEFAULT);
      SslHandler here = handler(new ClientTls(List.of(), Optional.of(own)), Tls.Purpose.CONTROL);

      shakeHands(here, there);

      assertThat(Tls.peerCertificates(there)).isEqualTo(own.chain());
    }
  }

  @Test
  void aServerWithAnAuthorityTakesNobodyElse() {
    Identity authority = Identity.generate();
    for (Optional<Identity> own :
        List.of(Optional.<Identity>empty(), Optional.of(Identity.generate()))) {
      try (ServerTls server = new ServerTls(identity, authority.chain())) {
        SslHandler there =
            server.handler(Tls.Purpose.CONTROL, false, UnpooledByteBufAllocator.DEFAULT);
        SslHandler here = handler(new ClientTls(List.of(), own), Tls.Purpose.CONTROL);

        shakeHands(here, there);

        assertThat(there.handshakeFuture().isSuccess()).isFalse();
      }
    }
  }

  @Test
  void theFastEngineIsThere() {
    assertThat(OpenSsl.isAvailable()).isTrue();
  }

  private static SslHandler handler(ClientTls client, Tls.Purpose purpose) {
    return purpose == Tls.Purpose.CONTROL
        ? client.control(UnpooledByteBufAllocator.DEFAULT, "localhost", 1)
        : client.data(UnpooledByteBufAllocator.DEFAULT);
  }

  /** Carries bytes between two ends until both handshakes have ended in one way or another. */
  private static void shakeHands(SslHandler here, SslHandler there) {
    EmbeddedChannel server = new EmbeddedChannel(there);
    EmbeddedChannel client = new EmbeddedChannel(here);
    try {
      Awaitility.await()
          .atMost(20, TimeUnit.SECONDS)
          .pollInterval(1, TimeUnit.MILLISECONDS)
          .pollInSameThread()
          .until(
              () -> {
                try {
                  carry(client, server);
                  carry(server, client);
                } catch (DecoderException e) {
                  return true; // a refusal, which is in one of the futures
                }
                return here.handshakeFuture().isDone() && there.handshakeFuture().isDone();
              });
    } finally {
      client.releaseOutbound();
      server.releaseOutbound();
    }
  }

  private static void carry(EmbeddedChannel from, EmbeddedChannel to) {
    from.runPendingTasks();
    for (ByteBuf bytes = from.readOutbound(); bytes != null; bytes = from.readOutbound()) {
      ByteBuf copy = Unpooled.copiedBuffer(bytes);
      bytes.release();
      to.pipeline().fireChannelRead(copy);
      to.pipeline().fireChannelReadComplete();
    }
  }
}
