package io.fdt.core.transport.tcp;

import io.fdt.core.error.FdtException;
import io.fdt.core.wire.Preface;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.ArrayDeque;

/**
 * The handler of one connection of a fan: gives what comes to the {@link FanChannel}, and keeps it
 * before there is one.
 *
 * <pre>
 *   dialed:    preface (ANSWER), cells ...        accepted:  cells ...
 * </pre>
 *
 * <p>Confined to the event loop of its connection, which may be another one before there is a fan.
 */
final class FanInput extends ChannelInboundHandlerAdapter {
  private final ArrayDeque<ByteBuf> early = new ArrayDeque<>();

  /** The peer's preface as far as it has come; null when none is expected. */
  private final ByteBuf answer;

  private Channel channel;
  private Throwable failure;
  private FanChannel fan;
  private int index;
  private boolean isDropped;

  private FanInput(ByteBuf answer) {
    this.answer = answer;
  }

  /** For a connection that was dialed: the peer answers with a preface first. */
  static FanInput dialed() {
    return new FanInput(Unpooled.buffer(Preface.LENGTH, Preface.LENGTH));
  }

  /** For a connection that has said which fan it belongs to. */
  static FanInput accepted() {
    return new FanInput(null);
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    channel = context.channel();
  }

  /** Gives everything to a fan from now on, what has come already first. On the event loop. */
  void attach(FanChannel whole, int number) {
    fan = whole;
    index = number;
    while (!early.isEmpty()) {
      pass(early.remove());
    }
    fan.readComplete();
    if (channel.isOpen()) {
      fan.settle();
    } else {
      fan.gone(index, failure);
    }
  }

  /** There will be no fan: drops what has come. On the event loop. Idempotent. */
  void drop() {
    isDropped = true;
    early.forEach(ByteBuf::release);
    early.clear();
  }

  /** The connection has closed. */
  void dropUnlessAttached() {
    if (fan == null) {
      drop();
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    if (isDropped) {
      bytes.release();
    } else if (fan == null) {
      early.add(bytes);
    } else {
      pass(bytes);
    }
  }

  private void pass(ByteBuf bytes) {
    if (answer == null || !answer.isWritable()) {
      fan.read(index, bytes);
      return;
    }
    answer.writeBytes(bytes, Math.min(bytes.readableBytes(), answer.writableBytes()));
    try {
      Preface.checkStart(answer);
      if (!answer.isWritable() && Preface.read(answer.duplicate()).refusal() != 0) {
        bytes.release();
        fan.refused(answer);
        return;
      }
    } catch (FdtException e) {
      bytes.release();
      fan.fail(e);
      return;
    }
    fan.read(index, bytes);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    if (fan != null) {
      fan.readComplete();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (fan != null && context.channel().isWritable()) {
      fan.writable();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (fan != null) {
      fan.gone(index, failure);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (failure == null) {
      failure = cause;
    }
    context.close();
  }
}
