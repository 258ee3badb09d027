package io.fdt.core.transport.tcp;

import io.fdt.core.error.FdtException;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.JoinAnswer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * The join of one data stream at a server. While nobody knows yet what becomes of it, because the
 * request for its session is still on its way, nothing more is read from the connection.
 *
 * <p>Confined to the event loop of the connection.
 */
final class Joining {
  private final Reception.Host host;
  private CompletableFuture<TcpServer.Seat> seat;

  Joining(Reception.Host host) {
    this.host = host;
  }

  /**
   * Reads a join, when it is all there and decided on. The stream is the last in the pipeline then.
   *
   * @param reader whose bytes these are; it is asked to look at them again when that is decided
   */
  boolean read(ChannelHandlerContext context, PrefaceHandler reader, ByteBuf in, boolean encrypted)
      throws FdtException {
    if (in.readableBytes() < Join.LENGTH) {
      return false;
    }
    Join join = Join.read(in.duplicate());
    Channel channel = context.channel();
    if (seat == null) {
      seat = host.acceptor().join(join, Addresses.text(channel.remoteAddress()), encrypted);
      if (!seat.isDone()) {
        channel.config().setAutoRead(false);
        seat.whenComplete((taken, refusal) -> decideLater(context, reader));
      }
    }
    if (!seat.isDone()) {
      return false;
    }
    TcpServer.Seat taken = taken(seat);
    in.skipBytes(Join.LENGTH);
    host.strangers().known(channel);
    TcpStream stream = new TcpStream(channel, join.stream(), taken.settings(), encrypted);
    stream.framesFollow();
    channel.config().setAutoRead(true);
    stream.setHandler(taken.handlers().apply(stream));
    answer(context, JoinAnswer.ACCEPTED);
    context.pipeline().addLast(stream);
    return true;
  }

  private static void decideLater(ChannelHandlerContext context, PrefaceHandler reader) {
    context
        .executor()
        .execute(
            () -> {
              try {
                reader.channelRead(context, Unpooled.EMPTY_BUFFER);
              } catch (Exception e) {
                reader.exceptionCaught(context, e);
              }
            });
  }

  private static TcpServer.Seat taken(CompletableFuture<TcpServer.Seat> seat) throws FdtException {
    try {
      return seat.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof FdtException refusal) {
        throw refusal;
      }
      throw e;
    }
  }

  static void answer(ChannelHandlerContext context, JoinAnswer answer) {
    ByteBuf bytes = context.alloc().buffer(JoinAnswer.LENGTH);
    answer.write(bytes);
    context.writeAndFlush(bytes);
  }
}
