package io.fdt.core.transport.tcp;

import io.fdt.core.transport.ChannelDialer;
import io.fdt.core.wire.FanMember;
import io.fdt.core.wire.Preface;
import io.fdt.core.wire.SessionId;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

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
   * Opens a channel: one connection, or a fan of several. On the event loop, where the result
   * completes, too.
   *
   * @param count connections
   * @param prepare gives the channel its handlers, before it is active
   * @return fails with the cause of the first connection that cannot be opened
   */
  static CompletableFuture<? extends Channel> dial(
      EventLoop loop,
      ChannelDialer channels,
      InetSocketAddress peer,
      int count,
      Consumer<Channel> prepare) {
    if (count == 1) {
      return channels.dial(loop, peer, prepare);
    }
    FanDial dial = new FanDial(loop, count, prepare);
    List<CompletableFuture<? extends Channel>> dialed = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        FanLine line = FanLine.dialed();
        dial.lines.add(line);
        dialed.add(channels.dial(loop, peer, connection -> prepare(connection, line)));
      }
    } catch (RuntimeException | Error e) { // memory is wanting
      dialed.forEach(one -> one.thenAccept(Channel::close));
      throw e;
    }
    for (int i = 0; i < count; i++) {
      int index = i;
      dialed.get(i).whenComplete((connection, failure) -> dial.dialed(index, connection, failure));
    }
    return dial.result;
  }

  private static void prepare(Channel connection, FanLine line) {
    connection.config().setAutoRead(false);
    connection.config().setRecvByteBufAllocator(new FrameReadAllocator());
    connection.pipeline().addLast(line);
  }

  private void dialed(int index, Channel connection, Throwable failure) {
    if (failure != null) {
      fail(failure);
    } else if (result.isDone()) {
      connection.close();
    } else {
      connections[index] = connection;
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
