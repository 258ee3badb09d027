package io.fdt.core.transport.tcp;

import io.fdt.core.error.FdtException;
import io.fdt.core.wire.Preface;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;

/**
 * Keeps the bytes that a server sends on an idle connection before the client. A server does so
 * only to refuse the connection before it closes it; this keeps the reason.
 *
 * <p>Confined to the event loop of its connection.
 */
final class EarlyAnswer extends ChannelInboundHandlerAdapter {
  private final ByteBuf received = Unpooled.buffer(Preface.LENGTH, Preface.LENGTH);

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (message instanceof ByteBuf bytes) {
      received.writeBytes(bytes, Math.min(bytes.readableBytes(), received.writableBytes()));
    }
    ReferenceCountUtil.release(message);
  }

  /**
   * Called when the connection is put to use.
   *
   * @throws FdtException the server has refused it
   */
  static void check(Channel channel, EarlyAnswer answer) throws FdtException {
    if (answer.received.readableBytes() == Preface.LENGTH) {
      Preface.checkStart(answer.received);
      TcpDialer.checkWelcome(channel, Preface.read(answer.received));
    }
    if (channel.pipeline().get(EarlyAnswer.class) != null) {
      channel.pipeline().remove(answer);
    }
  }
}
