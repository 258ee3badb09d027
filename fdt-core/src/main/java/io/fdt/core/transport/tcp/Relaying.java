package io.fdt.core.transport.tcp;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.transport.RelayTarget;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.JoinAnswer;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A connection that a relay passes on: the bytes of one go to the other as they come, in both
 * directions. Whoever reads slowly slows the other down; nothing piles up beyond {@link #MOST}.
 *
 * <pre>
 *   client --- join ---> Relaying ---> connects further ---> Pipe &lt;---> Pipe
 * </pre>
 *
 * <p>Confined to one event loop for both connections.
 */
final class Relaying {
  /** Bytes that wait for one side at most, besides what is being read. */
  private static final int MOST = 1 << 20;

  private static final int READ = 256 << 10;

  /** By then a connection has shown how it is. */
  private static final long FIRST_LOOK_MILLIS = 500;

  /** A limit may change while it is waited for. */
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final ServerHandshake.Host host;

  Relaying(ServerHandshake.Host host) {
    this.host = host;
  }

  /**
   * Reads the join of a relayed connection when it is all there. Then nothing more is read until
   * the other end is reached.
   */
  boolean read(ChannelHandlerContext context, ByteBuf in) throws FdtException {
    if (in.readableBytes() < Join.LENGTH) {
      return false;
    }
    Channel near = context.channel();
    RelayTarget target = host.acceptor().relay(Join.read(in), Addresses.text(near.remoteAddress()));
    host.strangers().known(near);
    near.config().setAutoRead(false);
    near.config().setWriteBufferWaterMark(new WriteBufferWaterMark(MOST / 2, MOST));
    near.closeFuture().addListener(closed -> target.ended());
    target.closedBy(near::close);
    long deadlineMillis = host.deadline().toMillis();
    Pipe back = new Pipe(target, RelayTarget.Direction.TO_TARGET, deadlineMillis);
    near.pipeline().addLast(back);
    Pipe forth = new Pipe(target, RelayTarget.Direction.TO_CLIENT, deadlineMillis);
    connect(near, target, forth)
        .whenComplete(
            (far, failure) -> {
              if (failure == null && near.isActive()) {
                join(near, back, far, forth);
              } else {
                if (far != null) {
                  far.close();
                }
                refuse(near);
              }
            });
    return true;
  }

  private CompletableFuture<? extends Channel> connect(
      Channel near, RelayTarget target, Pipe forth) {
    if (target.datagrams().isPresent()) {
      return target
          .datagrams()
          .get()
          .dial(
              near.eventLoop(),
              target.address(),
              far -> {
                far.config().setAutoRead(false);
                far.config().setRecvByteBufAllocator(reads());
                far.config().setWriteBufferWaterMark(new WriteBufferWaterMark(MOST / 2, MOST));
                far.pipeline().addLast(forth);
              });
    }
    CompletableFuture<Channel> result = new CompletableFuture<>();
    new Bootstrap()
        .group(near.eventLoop())
        .channel(TcpTransport.socketChannel())
        .option(ChannelOption.ALLOCATOR, near.alloc())
        .option(ChannelOption.AUTO_READ, false)
        .option(ChannelOption.SO_KEEPALIVE, true)
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.RECVBUF_ALLOCATOR, reads())
        .option(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(MOST / 2, MOST))
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, Math.toIntExact(host.deadline().toMillis()))
        .handler(forth)
        .connect(target.address())
        .addListener(
            (ChannelFutureListener)
                connected -> {
                  if (connected.isSuccess()) {
                    result.complete(connected.channel());
                  } else {
                    result.completeExceptionally(connected.cause());
                  }
                });
    return result;
  }

  private static AdaptiveRecvByteBufAllocator reads() {
    return new AdaptiveRecvByteBufAllocator(4096, 65536, READ);
  }

  private static void refuse(Channel near) {
    ByteBuf answer = near.alloc().buffer(JoinAnswer.LENGTH);
    JoinAnswer.refused(ErrorCode.UNREACHABLE).write(answer);
    near.writeAndFlush(answer).addListener(ChannelFutureListener.CLOSE);
  }

  private static void join(Channel near, Pipe back, Channel far, Pipe forth) {
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

  /**
   * The end of one connection: what comes here goes to the other.
   *
   * <p>The one that reads from the client sends to the target, on the connection of the other one.
   */
  private static final class Pipe extends ChannelInboundHandlerAdapter {
    private final RelayTarget target;
    private final RelayTarget.Direction direction;

    /** For what waits for one side when the other one has gone. */
    private final long deadlineMillis;

    private Channel own;

    /** Since when the other side takes nothing; 0 while it does. */
    private long heldSinceNanos;

    /** Null until both are connected. */
    private Pipe other;

    /** A limit is reached. */
    private boolean isPaused;

    Pipe(RelayTarget target, RelayTarget.Direction direction, long deadlineMillis) {
      this.target = target;
      this.direction = direction;
      this.deadlineMillis = deadlineMillis;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
      own = context.channel();
    }

    void to(Pipe pipe) {
      other = pipe;
    }

    /** Reads on when the other side takes more and no limit is in the way. */
    void readIfFree() {
      boolean isFree = other.own.isWritable();
      count(isFree);
      own.config().setAutoRead(!isPaused && isFree);
    }

    private void count(boolean isFree) {
      if (isFree && heldSinceNanos != 0) {
        target.held(direction, System.nanoTime() - heldSinceNanos);
        heldSinceNanos = 0;
      } else if (!isFree && heldSinceNanos == 0) {
        heldSinceNanos = System.nanoTime();
      }
    }

    /** Looks at the connection on which bytes leave, from now on. */
    void look() {
      if (own.isActive() && other.own.isActive()) {
        TcpInfo.of(other.own).ifPresent(state -> target.seen(direction, state));
        own.eventLoop().schedule(this::look, 1, TimeUnit.SECONDS);
      }
    }

    private void pauseIfLimited() {
      long nanos = target.nanosToWait();
      isPaused = nanos > 0 && own.isActive();
      if (isPaused) {
        long pause = Math.min(nanos, LONGEST_PAUSE_NANOS);
        own.eventLoop().schedule(this::goOn, pause, TimeUnit.NANOSECONDS);
      }
    }

    private void goOn() {
      pauseIfLimited();
      readIfFree();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (other == null || !(message instanceof ByteBuf bytes)) {
        ReferenceCountUtil.release(message); // it speaks before it may
        context.close();
        return;
      }
      target.passed(direction, bytes.readableBytes());
      other.own.write(bytes);
      if (!isPaused) {
        pauseIfLimited();
      }
      if (isPaused) {
        own.config().setAutoRead(false);
      }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
      if (other != null) {
        other.own.flush();
        readIfFree();
      }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
      if (other != null) {
        other.readIfFree();
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      if (other != null) {
        count(true);
        Channel rest = other.own;
        rest.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        rest.eventLoop().schedule((Runnable) rest::close, deadlineMillis, TimeUnit.MILLISECONDS);
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close(); // the other side hears that it is closed
    }
  }
}
