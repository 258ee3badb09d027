package io.fdt.core.transport.tcp;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.wire.Preface;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * The first reader of a connection: checks what the other side is before anything else is read. It
 * leaves the pipeline when that is known; what came after goes to the next handler.
 *
 * <p>Confined to the event loop of its connection.
 */
abstract class PrefaceHandler extends ByteToMessageDecoder {
  private final Duration deadline;
  private ScheduledFuture<?> timer;
  private boolean prefaceRead;
  private boolean over;

  /**
   * @param deadline how long the other side has to say everything that is expected here
   */
  PrefaceHandler(Duration deadline) {
    this.deadline = deadline;
  }

  /** For a connection on which the preface has been read: only {@link #more} is called. */
  final void expectNoPreface() {
    prefaceRead = true;
  }

  /** The other side speaks this protocol, in whatever version. */
  abstract void recognised(ChannelHandlerContext context);

  /**
   * The other side speaks this version of the protocol. Returns whether that is all that is
   * expected.
   */
  abstract boolean preface(ChannelHandlerContext context, Preface preface) throws FdtException;

  /**
   * More bytes after the preface; called until it returns true. Must read nothing that is not
   * complete.
   */
  abstract boolean more(ChannelHandlerContext context, ByteBuf in) throws FdtException;

  /** What it means that the other side closes the connection before that. */
  abstract String whenClosed();

  /** What to do when the other side says nothing within the deadline; empty for nothing. */
  String whenSilent() {
    return "";
  }

  /** Whether the other side has said anything, beyond what was understood already. */
  final boolean isSilent() {
    return actualReadableBytes() == 0;
  }

  /** It will not become a connection. Called at most once; the channel is closed afterwards. */
  abstract void refused(ChannelHandlerContext context, FdtException cause);

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    timer =
        context
            .executor()
            .schedule(
                () ->
                    fail(
                        context,
                        new FdtException(
                            ErrorCode.TIMEOUT,
                            "%s did not answer like an FDT server or client within %d s%s"
                                .formatted(
                                    Addresses.text(context.channel().remoteAddress()),
                                    deadline.toSeconds(),
                                    whenSilent()))),
                deadline.toMillis(),
                TimeUnit.MILLISECONDS);
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    if (over) {
      in.skipBytes(in.readableBytes());
      return;
    }
    try {
      if (!prefaceRead) {
        Preface.checkStart(in);
        if (in.readableBytes() < Preface.LENGTH) {
          return;
        }
        prefaceRead = true;
        recognised(context);
        if (preface(context, Preface.read(in))) {
          leave(context);
          return;
        }
      }
      if (more(context, in)) {
        leave(context);
      }
    } catch (FdtException e) {
      fail(context, e);
    }
  }

  private void leave(ChannelHandlerContext context) {
    over = true;
    timer.cancel(false);
    context.pipeline().remove(this);
  }

  final void fail(ChannelHandlerContext context, FdtException cause) {
    if (over) {
      return;
    }
    over = true;
    timer.cancel(false);
    refused(context, cause);
    context.close();
  }

  /**
   * What could not be decoded yet asks for no more by itself: whoever has stopped reading means it.
   */
  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    context.fireChannelReadComplete();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) throws Exception {
    fail(
        context,
        new FdtException(
            ErrorCode.UNREACHABLE,
            Addresses.text(context.channel().remoteAddress()) + " " + whenClosed()));
    super.channelInactive(context);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    fail(context, Addresses.failure(Addresses.text(context.channel().remoteAddress()), cause));
  }
}
