package io.fdt.core.transport.tcp;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.wire.FanMember;
import io.fdt.core.wire.SessionId;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The fans of a listener whose connections are still coming. When the last one is there, they
 * become one channel on the event loop of the first. A fan that is not complete within the deadline
 * is closed, and so is one that loses a connection before.
 *
 * <p>Each connection counts as unauthenticated meanwhile, and so there are never more fans than
 * those. Thread-safe.
 */
final class Fans {
  /** Connections of one fan come from one address: what others send is another fan. */
  private record Key(SessionId fan, InetAddress address) {}

  /** A fan that is not complete. Guarded by the fans. */
  private static final class Gathering {
    final FanLine[] lines;
    int missing;
    boolean isOver;
    boolean hasBegun;
    Future<?> timer;

    Gathering(int count) {
      lines = new FanLine[count];
      missing = count;
    }
  }

  private final Duration deadline;
  private final Consumer<FanChannel> begin;
  private final Map<Key, Gathering> gatherings = new HashMap<>();

  /**
   * @param deadline for all connections of a fan to come
   * @param begin gives a fan its handlers, on its event loop, before it is active
   */
  Fans(Duration deadline, Consumer<FanChannel> begin) {
    this.deadline = deadline;
    this.begin = begin;
  }

  /**
   * Takes a connection, on its event loop. It must not read any more.
   *
   * @param line its last handler
   * @throws FdtException PROTOCOL when it does not fit to those that are there, which stay
   */
  void add(FanMember member, FanLine line) throws FdtException {
    Channel connection = line.channel();
    Key key = new Key(member.fan(), ((InetSocketAddress) connection.remoteAddress()).getAddress());
    Gathering gathering = enter(key, member, line);
    connection
        .closeFuture()
        .addListener(
            closed -> {
              giveUp(key, gathering);
              line.dropUnlessAttached();
            });
    boolean isComplete;
    synchronized (this) {
      isComplete = gathering.missing == 0 && gatherings.remove(key, gathering);
    }
    if (isComplete) {
      gathering.timer.cancel(false);
      EventLoop loop = gathering.lines[0].channel().eventLoop();
      loop.execute(() -> begin(gathering, loop));
    }
  }

  private synchronized Gathering enter(Key key, FanMember member, FanLine line)
      throws FdtException {
    Gathering gathering = gatherings.get(key);
    if (gathering == null) {
      Gathering first = new Gathering(member.count());
      first.timer =
          line.channel()
              .eventLoop()
              .schedule(() -> giveUp(key, first), deadline.toMillis(), TimeUnit.MILLISECONDS);
      gatherings.put(key, first);
      gathering = first;
    }
    int count = gathering.lines.length;
    if (member.count() != count || gathering.lines[member.index()] != null) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "connection %d of %d of a fan that has %d and expects %d of them"
              .formatted(member.index(), member.count(), count - gathering.missing, count));
    }
    gathering.lines[member.index()] = line;
    gathering.missing--;
    return gathering;
  }

  private void giveUp(Key key, Gathering gathering) {
    synchronized (this) {
      if (gathering.hasBegun) {
        return; // the channel knows what it means
      }
      gathering.isOver = true;
      gatherings.remove(key, gathering);
    }
    gathering.timer.cancel(false);
    close(gathering);
  }

  private static void close(Gathering gathering) {
    Arrays.stream(gathering.lines)
        .filter(line -> line != null)
        .forEach(line -> LingeringClose.cutShort(line.channel()));
  }

  private void begin(Gathering gathering, EventLoop loop) {
    boolean isOver;
    synchronized (this) {
      isOver = gathering.isOver;
      gathering.hasBegun = !isOver;
    }
    if (isOver) { // one has closed meanwhile
      close(gathering);
      return;
    }
    FanChannel fan = new FanChannel(List.of(gathering.lines));
    begin.accept(fan);
    fan.begin(loop);
  }

  /** Fans that are not complete. */
  synchronized int size() {
    return gatherings.size();
  }
}
