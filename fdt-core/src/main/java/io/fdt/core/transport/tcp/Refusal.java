package io.fdt.core.transport.tcp;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.wire.Preface;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of a connection that a server does not take: says why, reads nothing, closes. Confined to
 * the event loop of its connection.
 */
final class Refusal extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(Refusal.class);

  /** How long the client has to read the answer and close; a reset could take it away. */
  private static final int CLOSE_SECONDS = 1;

  private final ErrorCode reason;

  Refusal(ErrorCode reason) {
    this.reason = reason;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    LOG.info(
        "connection refused peer={} reason={}",
        Addresses.text(context.channel().remoteAddress()),
        reason);
    ByteBuf answer = context.alloc().buffer(Preface.LENGTH);
    Preface.refusing(reason).write(answer);
    context
        .writeAndFlush(answer)
        .addListener(sent -> ((DuplexChannel) context.channel()).shutdownOutput());
    context.executor().schedule(() -> context.close(), CLOSE_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object bytes) {
    ReferenceCountUtil.release(bytes);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    context.close();
  }
}
