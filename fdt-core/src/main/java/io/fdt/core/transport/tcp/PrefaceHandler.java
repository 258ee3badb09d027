package io.fdt.core.transport.tcp;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.transport.tcp.socket.Addresses;
import io.fdt.core.wire.Preface;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * The first handler of a connection: checks the peer's preface before anything else is read. It
 * leaves the pipeline afterwards; later bytes go to the next handler.
 *
 * <p>Confined to the event loop of its connection.
 */
abstract class PrefaceHandler extends ByteToMessageDecoder {
  private final Duration deadline;
  private ScheduledFuture<?> timer;
  private boolean prefaceRead;
  private boolean over;

  /**
   * @param deadline for all bytes that this handler expects
   */
  PrefaceHandler(Duration deadline) {
    this.deadline = deadline;
  }

  /** Skips the preface, which was read already: only {@link #more} is called. */
  final void expectNoPreface() {
    prefaceRead = true;
  }

  /** The peer speaks this protocol, in any version. */
  abstract void recognised(ChannelHandlerContext context);

  /**
   * The peer speaks this version of the protocol.
   *
   * @return whether this handler expects nothing else
   */
  abstract boolean preface(ChannelHandlerContext context, Preface preface) throws FdtException;

  /**
   * Reads bytes after the preface; called until it returns true. Must not consume incomplete
   * structures.
   */
  abstract boolean more(ChannelHandlerContext context, ByteBuf in) throws FdtException;

  /** The message when the peer closes the connection too early. */
  abstract String whenClosed();

  /** Advice for a peer that sends nothing within the deadline; may be empty. */
  String whenSilent() {
    return "";
  }

  /** Whether the peer has sent nothing beyond what was already processed. */
  final boolean isSilent() {
    return actualReadableBytes() == 0;
  }

  /** The connection fails. Called at most once; the channel is closed afterwards. */
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

  /** Incomplete input does not trigger another read by itself: reading may be paused on purpose. */
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
