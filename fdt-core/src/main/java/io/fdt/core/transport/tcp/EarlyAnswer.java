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
 * Keeps what a server says before anything was said to it, on a connection that waits to be used. A
 * server does that only to refuse the connection; then it hangs up, and nobody would hear why.
 *
 * <p>Confined to the event loop of its connection.
 */
final class EarlyAnswer extends ChannelInboundHandlerAdapter {
  private final ByteBuf heard = Unpooled.buffer(Preface.LENGTH, Preface.LENGTH);

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (message instanceof ByteBuf bytes) {
      heard.writeBytes(bytes, Math.min(bytes.readableBytes(), heard.writableBytes()));
    }
    ReferenceCountUtil.release(message);
  }

  /**
   * The connection is used from now on.
   *
   * @throws FdtException the server has refused it
   */
  static void check(Channel channel, EarlyAnswer answer) throws FdtException {
    if (answer.heard.readableBytes() == Preface.LENGTH) {
      Preface.checkStart(answer.heard);
      TcpDialer.checkWelcome(channel, Preface.read(answer.heard));
    }
    if (channel.pipeline().get(EarlyAnswer.class) != null) {
      channel.pipeline().remove(answer);
    }
  }
}
