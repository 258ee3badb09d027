package io.fdt.core.transport.tcp;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.transport.Acceptor;
import io.fdt.core.transport.tcp.socket.Addresses;
import io.fdt.core.transport.tcp.socket.LingeringClose;
import io.fdt.core.wire.Preface;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;

/**
 * Refuses a connection: sends the reason, discards input, closes. Connections without input, such
 * as those that a client prepares for its data, are not logged. Confined to the event loop of its
 * connection.
 */
final class Refusal extends ChannelInboundHandlerAdapter {
  /**
   * Time for the client to send, read the answer and close; a reset could discard the answer. The
   * first connection of a JVM loads TLS before it sends, which takes seconds on a busy machine.
   * Cost: {@link Reception} keeps at most 64 such connections.
   */
  private static final int CLOSE_SECONDS = LingeringClose.SECONDS;

  private final ErrorCode reason;
  private final UnauthenticatedConnections unauthenticated;
  private final Acceptor acceptor;
  private boolean reported;

  Refusal(ErrorCode reason, UnauthenticatedConnections unauthenticated, Acceptor acceptor) {
    this.reason = reason;
    this.unauthenticated = unauthenticated;
    this.acceptor = acceptor;
  }

  /** Sends only the reason. */
  static ChannelFuture say(ChannelHandlerContext context, ErrorCode reason) {
    ByteBuf answer = context.alloc().buffer(Preface.LENGTH);
    Preface.refusing(reason).write(answer);
    return context.writeAndFlush(answer);
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    say(context, reason).addListener(sent -> ((DuplexChannel) context.channel()).shutdownOutput());
    context.executor().schedule(() -> context.close(), CLOSE_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object bytes) {
    ReferenceCountUtil.release(bytes);
    if (!reported) {
      reported = true;
      acceptor.refused(reason);
      unauthenticated.refused(Addresses.text(context.channel().remoteAddress()), reason.toString());
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    context.close();
  }
}
