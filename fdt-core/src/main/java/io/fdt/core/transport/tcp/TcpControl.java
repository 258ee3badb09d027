package io.fdt.core.transport.tcp;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.wire.ControlDecoder;
import io.fdt.core.wire.ControlFrames;
import io.fdt.core.wire.control.Abort;
import io.fdt.core.wire.control.Control;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import java.util.concurrent.TimeUnit;

/** A TCP connection that carries control messages, after both prefaces. Methods: any thread. */
final class TcpControl extends ChannelInboundHandlerAdapter implements ControlConnection {
  /** How long the other side has to close its half. */
  private static final int CLOSE_SECONDS = 1;

  private final Channel channel;
  private final ControlDecoder decoder = new ControlDecoder();
  private final String peer;
  private Handler handler;
  private FdtException failure;
  private boolean closed;

  TcpControl(Channel channel) {
    this.channel = channel;
    this.peer = Addresses.text(channel.remoteAddress());
  }

  /** To be called once, on the event loop, before the first message can come. */
  void setHandler(Handler handler) {
    this.handler = handler;
  }

  @Override
  public void send(Control message) {
    channel.writeAndFlush(ControlFrames.encode(message, channel.alloc()), channel.voidPromise());
  }

  @Override
  public String peer() {
    return peer;
  }

  @Override
  public void close() {
    channel
        .writeAndFlush(channel.alloc().buffer(0))
        .addListener(
            done -> {
              // Closing at once would reset the connection, and the last message with it, if
              // anything is unread.
              ((DuplexChannel) channel).shutdownOutput();
              channel.eventLoop().schedule(() -> channel.close(), CLOSE_SECONDS, TimeUnit.SECONDS);
            });
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object bytes) {
    try {
      decoder.feed((ByteBuf) bytes, handler::message);
    } catch (FdtException e) {
      fail(e);
    }
  }

  private void fail(FdtException cause) {
    if (failure == null) {
      failure = cause;
      send(
          Control.newBuilder()
              .setAbort(
                  Abort.newBuilder()
                      .setCode(cause.code().wireCode())
                      .setMessage(cause.getMessage()))
              .build());
      close();
    }
  }

  /** The other side turned out to be none to talk to. */
  void failed(FdtException cause) {
    if (failure == null) {
      failure = cause;
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (closed) {
      return;
    }
    closed = true;
    decoder.close();
    handler.closed(
        failure != null
            ? failure
            : new FdtException(ErrorCode.UNREACHABLE, peer + " closed the connection"));
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (failure == null) {
      failure = Addresses.failure(peer, cause);
    }
    context.close();
  }
}
