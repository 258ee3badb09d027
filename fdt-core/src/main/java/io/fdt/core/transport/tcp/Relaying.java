package io.fdt.core.transport.tcp;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.transport.ChannelDialer;
import io.fdt.core.transport.RelayTarget;
import io.fdt.core.transport.tcp.socket.Addresses;
import io.fdt.core.transport.tcp.socket.FrameReadAllocator;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.JoinAnswer;
import io.netty.buffer.ByteBuf;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.WriteBufferWaterMark;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A relayed connection: forwards bytes in both directions. A slow reader slows the other side down;
 * memory is limited to {@link #MOST} and the share of a {@link io.fdt.core.transport.Backlog}.
 *
 * <pre>
 *   client --- join ---> Relaying ---> connects further ---> RelayPipe &lt;---> RelayPipe
 * </pre>
 *
 * <p>Confined to one event loop for both connections.
 */
final class Relaying {
  /** Most bytes that wait for one side, besides those being read. */
  private static final int MOST = 1 << 20;

  private static final WriteBufferWaterMark WATER_MARK = new WriteBufferWaterMark(MOST / 2, MOST);

  private static final int READ = 256 << 10;

  /** The time of the first look at a connection, after its initial burst. */
  private static final long FIRST_LOOK_MILLIS = 500;

  private final ServerHandshake.Host host;

  Relaying(ServerHandshake.Host host) {
    this.host = host;
  }

  /** Reads a complete join. Then nothing more is read until the target is reached. */
  boolean read(ChannelHandlerContext context, ByteBuf in) throws FdtException {
    if (in.readableBytes() < Join.LENGTH) {
      return false;
    }
    Channel near = context.channel();
    RelayTarget target = host.acceptor().relay(Join.read(in), Addresses.text(near.remoteAddress()));
    host.unauthenticated().known(near);
    near.config().setAutoRead(false);
    near.config().setWriteBufferWaterMark(WATER_MARK);
    long deadlineMillis = host.deadline().toMillis();
    RelayPipe back = new RelayPipe(target, RelayTarget.Direction.TO_TARGET, deadlineMillis);
    near.pipeline().addLast(back);
    RelayPipe forth = new RelayPipe(target, RelayTarget.Direction.TO_CLIENT, deadlineMillis);
    target.closedBy(() -> near.eventLoop().execute(back::close));
    connect(near, target, forth)
        .whenComplete(
            (far, failure) -> {
              if (failure == null && near.isActive()) {
                far.closeFuture()
                    .addListener(closed -> near.closeFuture().addListener(both -> target.ended()));
                join(near, back, far, forth);
              } else {
                if (far != null) {
                  far.close();
                }
                near.closeFuture().addListener(closed -> target.ended());
                refuse(near);
              }
            });
    return true;
  }

  private CompletableFuture<? extends Channel> connect(
      Channel near, RelayTarget target, RelayPipe forth) {
    ChannelDialer channels =
        target.datagrams().orElseGet(() -> new TcpChannels(near.alloc(), host.deadline()));
    return channels.dial(
        near.eventLoop(),
        target.address(),
        far -> {
          far.config().setAutoRead(false);
          far.config().setRecvByteBufAllocator(reads());
          far.config().setWriteBufferWaterMark(WATER_MARK);
          far.pipeline().addLast(forth);
        });
  }

  private static AdaptiveRecvByteBufAllocator reads() {
    return new AdaptiveRecvByteBufAllocator(4096, 65536, READ);
  }

  private static void refuse(Channel near) {
    ByteBuf answer = near.alloc().buffer(JoinAnswer.LENGTH);
    JoinAnswer.refused(ErrorCode.UNREACHABLE).write(answer);
    near.writeAndFlush(answer).addListener(ChannelFutureListener.CLOSE);
  }

  private static void join(Channel near, RelayPipe back, Channel far, RelayPipe forth) {
    ByteBuf answer = near.alloc().buffer(JoinAnswer.LENGTH);
    JoinAnswer.ACCEPTED.write(answer);
    near.writeAndFlush(answer);
    carryMuch(near);
    carryMuch(far);
    forth.to(back);
    back.to(forth);
    forth.readIfFree();
    back.readIfFree();
    near.eventLoop().schedule(forth::look, FIRST_LOOK_MILLIS, TimeUnit.MILLISECONDS);
    near.eventLoop().schedule(back::look, FIRST_LOOK_MILLIS, TimeUnit.MILLISECONDS);
  }

  private static void carryMuch(Channel channel) {
    if (channel instanceof StreamChannel stream) {
      stream.becomeStream(0);
    } else if (channel.config().getRecvByteBufAllocator() instanceof FrameReadAllocator reads) {
      reads.readLarge();
    }
  }
}
