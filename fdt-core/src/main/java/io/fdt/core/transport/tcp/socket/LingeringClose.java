package io.fdt.core.transport.tcp.socket;

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
 * Closes a connection so that the peer can read the last message: closes this half, then discards
 * input until the other half is closed too, or for a few seconds. An immediate close with bytes in
 * flight would reset the connection, and a peer that fails to write would not read the message.
 *
 * <p>Precedes all handlers that may close the connection, such as TLS, which closes after a failed
 * handshake. Confined to the event loop of its connection.
 */
public final class LingeringClose extends ChannelDuplexHandler {
  /** Time for the peer to read the last message and close its half. */
  public static final int SECONDS = 5;

  private boolean closing;

  /** Closes a connection without waiting for the peer. */
  public static void cutShort(Channel channel) {
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
    closing = true; // only after the timer is set, which ends it
    channel.closeFuture().addListener(closed -> timer.cancel(false)); // it would retain the channel
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
