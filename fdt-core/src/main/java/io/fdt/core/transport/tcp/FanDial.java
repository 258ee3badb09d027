package io.fdt.core.transport.tcp;

import io.fdt.core.wire.FanMember;
import io.fdt.core.wire.Preface;
import io.fdt.core.wire.SessionId;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Dials the connections of one fan, and makes a channel of them when all are there. Confined to the
 * event loop of the fan.
 */
final class FanDial {
  private static final SecureRandom RANDOM = new SecureRandom();

  private final EventLoop loop;
  private final Consumer<Channel> prepare;
  private final Channel[] connections;
  private final List<FanLine> lines = new ArrayList<>();
  private final CompletableFuture<Channel> result = new CompletableFuture<>();
  private int missing;

  private FanDial(EventLoop loop, int count, Consumer<Channel> prepare) {
    this.loop = loop;
    this.prepare = prepare;
    this.connections = new Channel[count];
    this.missing = count;
  }

  /**
   * Opens a fan. On the event loop, where the result completes, too.
   *
   * @param bootstraps make the connections of this event loop, each with an allocator of its own;
   *     they do not read by themselves
   * @param count connections
   * @param prepare gives the channel its handlers, before it is active
   * @return fails with the cause of the first connection that cannot be opened
   */
  static CompletableFuture<Channel> dial(
      EventLoop loop,
      Supplier<Bootstrap> bootstraps,
      InetSocketAddress peer,
      int count,
      Consumer<Channel> prepare) {
    FanDial dial = new FanDial(loop, count, prepare);
    List<ChannelFuture> dialed = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      FanLine line = FanLine.dialed();
      dial.lines.add(line);
      dialed.add(bootstraps.get().handler(line).connect(peer));
    }
    for (int i = 0; i < count; i++) {
      int index = i;
      dialed.get(i).addListener((ChannelFutureListener) done -> dial.dialed(index, done));
    }
    return dial.result;
  }

  private void dialed(int index, ChannelFuture done) {
    if (!done.isSuccess()) {
      fail(done.cause());
    } else if (result.isDone()) {
      done.channel().close();
    } else {
      connections[index] = done.channel();
      missing--;
      if (missing == 0) {
        begin();
      }
    }
  }

  private void begin() {
    FanChannel fan;
    try {
      SessionId id = SessionId.random(RANDOM);
      for (int i = 0; i < connections.length; i++) {
        introduce(connections[i], new FanMember(id, connections.length, i));
      }
      fan = new FanChannel(lines);
      prepare.accept(fan);
    } catch (RuntimeException | Error e) { // memory is wanting
      fail(e);
      return;
    }
    fan.begin(loop);
    result.complete(fan);
  }

  private static void introduce(Channel connection, FanMember member) {
    ByteBuf bytes = connection.alloc().buffer(Preface.LENGTH + FanMember.LENGTH);
    Preface.of(Preface.Kind.FAN).write(bytes);
    member.write(bytes);
    connection.writeAndFlush(bytes);
  }

  private void fail(Throwable cause) {
    if (result.isDone()) {
      return;
    }
    for (Channel connection : connections) {
      if (connection != null) {
        connection.close();
      }
    }
    lines.forEach(FanLine::drop);
    result.completeExceptionally(cause);
  }
}
