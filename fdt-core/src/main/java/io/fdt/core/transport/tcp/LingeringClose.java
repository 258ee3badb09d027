package io.fdt.core.transport.tcp;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundInvoker;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.PromiseNotifier;
import java.util.concurrent.TimeUnit;

/**
 * Closes a connection so that the other side can read what it was told last: closes this half, and
 * drops what comes until the other half is closed too, or for a few seconds. Closed at once, with
 * bytes on their way here, the connection would be reset, and who finds it so when it writes gives
 * up before it has read.
 *
 * <p>Stands before all that may close the connection, TLS among them, which closes it by itself
 * after a handshake that failed. Confined to the event loop of its connection.
 */
final class LingeringClose extends ChannelDuplexHandler {
  /** How long the other side has to read the last message and to close its half. */
  static final int SECONDS = 5;

  private boolean closing;

  /** Closes a connection without waiting for the other side, now or any more. */
  static void cutShort(Channel channel) {
    ChannelHandlerContext own = channel.pipeline().context(LingeringClose.class);
    ChannelOutboundInvoker before = own == null ? channel : own;
    before.close();
  }

  @Override
  public void close(ChannelHandlerContext context, ChannelPromise promise) {
    Channel channel = context.channel();
    PromiseNotifier.cascade(channel.closeFuture(), promise);
    if (closing) {
      return;
    }
    if (!channel.isActive()) {
      context.close();
      return;
    }
    Future<?> timer = context.executor().schedule(() -> context.close(), SECONDS, TimeUnit.SECONDS);
    closing = true; // not before the timer is there, without which nothing would end it
    channel.closeFuture().addListener(closed -> timer.cancel(false)); // it would keep the channel
    channel.config().setAutoRead(true);
    context
        .writeAndFlush(Unpooled.EMPTY_BUFFER)
        .addListener(
            written -> {
              if (written.isSuccess()) {
                ((DuplexChannel) channel).shutdownOutput();
              } else {
                context.close();
              }
            });
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object bytes) {
    if (closing) {
      ReferenceCountUtil.release(bytes);
    } else {
      context.fireChannelRead(bytes);
    }
  }
}
