package io.fdt.core.transport.tcp;

import io.fdt.core.error.FdtException;
import io.fdt.core.udt.PathKey;
import io.fdt.core.wire.Preface;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.concurrent.RejectedExecutionException;

/**
 * One connection of a fan, and its last handler: takes cells, gives what comes to the {@link
 * FanChannel}, and keeps it before there is one.
 *
 * <pre>
 *   dialed:    preface (ANSWER), cells ...        accepted:  cells ...
 *
 *   event loop of the fan  --- read, one at a time -->  event loop of the connection
 *                          <-- what came ------------
 *                          --- cell, one at a time -->
 *                          <-- it is written --------
 * </pre>
 *
 * <p>Both loops may be the same one, which makes all of these plain calls. Each method and field
 * belongs to one of the loops.
 */
final class FanLine extends ChannelInboundHandlerAdapter {
  // Of the loop of the connection

  private final ArrayDeque<ByteBuf> early = new ArrayDeque<>();

  /** The peer's preface as far as it has come; null when none is expected. */
  private final ByteBuf answer;

  private Throwable failure;
  private boolean isAttached;
  private boolean isDropped;

  // Of the loop of the fan

  /** A read is under way. */
  private boolean isReading;

  /** A cell is under way to the socket. */
  private boolean isWriting;

  // Set before the other loop looks

  private Channel channel;
  private FanChannel fan;
  private int index;

  private FanLine(ByteBuf answer) {
    this.answer = answer;
  }

  /** For a connection that was dialed: the peer answers with a preface first. */
  static FanLine dialed() {
    return new FanLine(Unpooled.buffer(Preface.LENGTH, Preface.LENGTH));
  }

  /** For a connection that has said which fan it belongs to. */
  static FanLine accepted() {
    return new FanLine(null);
  }

  /** The connection. Any loop. */
  Channel channel() {
    return channel;
  }

  // On the event loop of the fan

  /** It is the one with this number of a fan. Once. */
  void belongTo(FanChannel whole, int number) {
    fan = whole;
    index = number;
  }

  /** Gives everything to the fan from now on, what has come already first. Once. */
  void attach() {
    if (!run(channel.eventLoop(), this::begin)) {
      fan.gone(index, null);
    }
  }

  /** Has the connection read once, unless it does already. */
  void read() {
    if (!isReading) {
      isReading = true;
      channel.read();
    }
  }

  /** Whether it takes a cell: the last one is with the socket. */
  boolean takesCell() {
    return !isWriting;
  }

  /** Sends a cell, and takes over both buffers. The fan hears when it takes another one. */
  void send(ByteBuf header, ByteBuf bytes) {
    isWriting = true;
    channel.write(header, channel.voidPromise());
    channel.writeAndFlush(bytes).addListener(done -> written(done.cause()));
  }

  /** The peer of the fan has shown that it may send frames. */
  void becomeStream(int bufferBytes, int unsentBytes) {
    run(channel.eventLoop(), () -> prepare(bufferBytes, unsentBytes));
  }

  /** As that of a {@link StreamChannel}; addresses of TCP do not change. */
  void setPathKey(PathKey key) {
    if (channel instanceof StreamChannel other) {
      run(channel.eventLoop(), () -> other.setPathKey(key));
    }
  }

  /** Drops what comes from now on: unread, it would reset the connection that is closed. */
  void readInVain() {
    run(
        channel.eventLoop(),
        () -> {
          drop();
          channel.config().setAutoRead(true);
        });
  }

  // On the event loop of the connection

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    channel = context.channel();
  }

  private void begin() {
    isAttached = true;
    while (!early.isEmpty()) {
      pass(early.remove());
    }
    onFan(fan::readComplete);
    if (channel.isOpen()) {
      onFan(fan::settle);
    } else {
      tellGone();
    }
  }

  private void prepare(int bufferBytes, int unsentBytes) {
    try {
      FrameReadAllocator.of(channel).readWhatComes();
      TcpStream.setBuffers(channel, bufferBytes);
      if (channel instanceof StreamChannel other) {
        other.limitUnsent(unsentBytes);
      } else {
        UnsentData.limit(channel, unsentBytes);
      }
    } catch (RuntimeException | Error e) { // it has closed just now, or memory is wanting
      fail(e);
    }
  }

  /** Nobody reads what has come, and comes. Idempotent. */
  void drop() {
    isDropped = true;
    early.forEach(ByteBuf::release);
    early.clear();
  }

  /** The connection has closed. */
  void dropUnlessAttached() {
    if (!isAttached) {
      drop();
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    if (isDropped) {
      bytes.release();
    } else if (isAttached) {
      pass(bytes);
    } else {
      early.add(bytes);
    }
  }

  private void pass(ByteBuf bytes) {
    try {
      if (isRefusal(bytes)) {
        bytes.release();
        onFan(() -> fan.refused(answer));
        return;
      }
    } catch (FdtException e) {
      bytes.release();
      onFan(() -> fan.fail(e));
      return;
    }
    boolean isPassed =
        onFan(
            () -> {
              isReading = false;
              fan.read(index, bytes);
            });
    if (!isPassed) {
      bytes.release();
    }
  }

  /** Takes the preface that is expected, as far as it is here, and looks what it says. */
  private boolean isRefusal(ByteBuf bytes) throws FdtException {
    if (answer == null || !answer.isWritable()) {
      return false;
    }
    answer.writeBytes(bytes, Math.min(bytes.readableBytes(), answer.writableBytes()));
    Preface.checkStart(answer);
    return !answer.isWritable() && Preface.read(answer.duplicate()).refusal() != 0;
  }

  private void written(Throwable cause) {
    if (cause != null) {
      fail(cause);
    } else {
      onFan(
          () -> {
            isWriting = false;
            fan.writable();
          });
    }
  }

  private void fail(Throwable cause) {
    if (failure == null) {
      failure = cause;
    }
    channel.close();
  }

  private void tellGone() {
    Throwable cause = failure;
    onFan(() -> fan.gone(index, cause));
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    if (isAttached) {
      onFan(fan::readComplete);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (isAttached) {
      tellGone();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    fail(cause);
  }

  private boolean onFan(Runnable task) {
    return run(fan.eventLoop(), task);
  }

  /**
   * Runs a task on a loop, now if that is this one.
   *
   * @return false when the loop has ended
   */
  private static boolean run(EventLoop loop, Runnable task) {
    if (loop.inEventLoop()) {
      task.run();
      return true;
    }
    try {
      loop.execute(task);
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }
}
