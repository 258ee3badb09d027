package io.fdt.udt.transport;

import io.fdt.core.transport.ChannelDialer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A connection over UDP. What comes waits here without a limit. */
final class UdtLine extends ChannelInboundHandlerAdapter implements AutoCloseable {
  private static final int SECONDS = 40;
  private static final byte[] END = {};

  private final LinkedBlockingQueue<byte[]> come = new LinkedBlockingQueue<>();
  private ByteBuf rest = Unpooled.EMPTY_BUFFER;
  private Channel channel;

  static UdtLine dial(ChannelDialer dialer, EventLoop loop, InetSocketAddress peer)
      throws Exception {
    UdtLine line = new UdtLine();
    line.channel =
        dialer
            .dial(loop, peer, channel -> channel.pipeline().addLast(line))
            .get(SECONDS, TimeUnit.SECONDS);
    return line;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    come.add(ByteBufUtil.getBytes(bytes));
    bytes.release();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    come.add(END);
  }

  void write(byte[] bytes) throws IOException {
    ChannelFuture written = channel.writeAndFlush(Unpooled.wrappedBuffer(bytes));
    if (!written.awaitUninterruptibly(SECONDS, TimeUnit.SECONDS) || !written.isSuccess()) {
      throw new IOException("not written", written.cause());
    }
  }

  byte[] read(int count) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    while (all.size() < count && hasMore()) {
      rest.readBytes(all, Math.min(rest.readableBytes(), count - all.size()));
    }
    return all.toByteArray();
  }

  private boolean hasMore() throws IOException {
    if (rest.isReadable()) {
      return true;
    }
    try {
      byte[] next = come.poll(SECONDS, TimeUnit.SECONDS);
      if (next == null) {
        throw new IOException("no packet for %d s".formatted(SECONDS));
      }
      rest = Unpooled.wrappedBuffer(next);
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
    return rest.isReadable();
  }

  @Override
  public void close() {
    channel.close();
  }
}
