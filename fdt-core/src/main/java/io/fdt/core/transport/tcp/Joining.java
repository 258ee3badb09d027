package io.fdt.core.transport.tcp;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.transport.StreamSlot;
import io.fdt.core.transport.tcp.socket.Addresses;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.JoinAnswer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;

/**
 * The join of one data stream at a server. Reads nothing more from the connection while the join is
 * undecided because the request for its session is still on its way.
 *
 * <p>Confined to the event loop of the connection.
 */
final class Joining {
  /** The failure of a client that closes before its join. */
  static final String CLOSED = "closed the connection before its join";

  /** The protection of a stream. */
  enum Cover {
    /** No protection. */
    CLEAR,
    TLS,
    /** Each later packet is encrypted. */
    PACKETS
  }

  private final ServerHandshake.Host host;
  private CompletableFuture<Void> begun;

  Joining(ServerHandshake.Host host) {
    this.host = host;
  }

  /**
   * Reads a complete join. Once it is accepted, the stream is the last handler of the pipeline.
   *
   * @param reader owner of the bytes; called again after the decision
   */
  boolean read(ChannelHandlerContext context, PrefaceHandler reader, ByteBuf in, Cover cover)
      throws FdtException {
    if (in.readableBytes() < Join.LENGTH) {
      return false;
    }
    Join join = Join.read(in.duplicate());
    Channel channel = context.channel();
    if (begun == null) {
      begun = host.acceptor().awaitSession(join.session(), addressOf(channel));
      if (!begun.isDone()) {
        channel.config().setAutoRead(false);
        begun.whenComplete((nothing, cancelled) -> decideLater(context, reader));
        channel.closeFuture().addListener(closed -> begun.cancel(false));
      }
    }
    if (!begun.isDone() || !channel.isActive()) {
      return false;
    }
    in.skipBytes(Join.LENGTH);
    if (cover == Cover.PACKETS && in.isReadable()) {
      throw new FdtException(ErrorCode.PROTOCOL, "clear data in an encrypted data stream");
    }
    sitDown(context, join, cover);
    return true;
  }

  private static InetAddress addressOf(Channel channel) {
    return ((InetSocketAddress) channel.remoteAddress()).getAddress();
  }

  private void sitDown(ChannelHandlerContext context, Join join, Cover cover) throws FdtException {
    Channel channel = context.channel();
    String peer = Addresses.text(channel.remoteAddress());
    StreamSlot seat = host.acceptor().join(join, peer, cover != Cover.CLEAR);
    host.unauthenticated().known(channel);
    TcpStream stream;
    try {
      stream = new TcpStream(channel, join.stream(), seat.settings(), cover == Cover.TLS);
      stream.framesFollow();
      channel.config().setAutoRead(true);
      stream.begin(seat.handlers());
    } catch (RuntimeException | Error e) { // closed concurrently, or out of memory
      seat.giveBack().run();
      throw e;
    }
    context.pipeline().addLast(stream);
    answer(context, JoinAnswer.ACCEPTED);
    if (cover == Cover.PACKETS) {
      ((StreamChannel) channel).seal(seat.settings().pathKey().orElseThrow());
    }
  }

  private static void decideLater(ChannelHandlerContext context, PrefaceHandler reader) {
    context
        .executor()
        .execute(
            () -> {
              try {
                reader.channelRead(context, Unpooled.EMPTY_BUFFER);
              } catch (Exception | Error e) {
                reader.exceptionCaught(context, e);
              }
            });
  }

  static void answer(ChannelHandlerContext context, JoinAnswer answer) {
    ByteBuf bytes = context.alloc().buffer(JoinAnswer.LENGTH);
    answer.write(bytes);
    context.writeAndFlush(bytes);
  }
}
