package io.fdt.core.transport.tcp;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.Tls;
import io.fdt.core.wire.JoinAnswer;
import io.fdt.core.wire.Preface;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandler;

/**
 * Waits at a server for the join of a data stream in TLS. Confined to the event loop of its
 * connection.
 */
final class EncryptedJoin extends PrefaceHandler {
  private final SslHandler tls;
  private final ServerHandshake.Host host;
  private final Joining joining;

  EncryptedJoin(SslHandler tls, ServerHandshake.Host host) {
    super(host.deadline());
    this.tls = tls;
    this.host = host;
    this.joining = new Joining(host);
    expectNoPreface();
  }

  @Override
  String whenClosed() {
    return Joining.CLOSED;
  }

  @Override
  void recognised(ChannelHandlerContext context) {
    throw new IllegalStateException("no preface follows the TLS handshake");
  }

  @Override
  boolean preface(ChannelHandlerContext context, Preface preface) {
    throw new IllegalStateException("no preface follows the TLS handshake");
  }

  @Override
  boolean more(ChannelHandlerContext context, ByteBuf in) throws FdtException {
    if (!Tls.isFor(tls, Tls.Purpose.DATA)) {
      throw new FdtException(
          ErrorCode.PROTOCOL, "the ALPN protocol of the TLS connection is not that of data");
    }
    return joining.read(context, this, in, Joining.Cover.TLS);
  }

  @Override
  void refused(ChannelHandlerContext context, FdtException cause) {
    host.log(context, cause);
    if (tls.handshakeFuture().isSuccess()) {
      Joining.answer(context, JoinAnswer.refused(cause.code()));
    }
  }
}
