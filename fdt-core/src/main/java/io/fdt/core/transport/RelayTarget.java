package io.fdt.core.transport;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.util.Optional;

/** Where a relay connects one connection to. */
public interface RelayTarget {
  /** The address of the other end. */
  InetSocketAddress address();

  /** How to connect to it over UDP; empty for over TCP. */
  Optional<ChannelDialer> datagrams();

  /**
   * TCP's congestion control for what goes in a direction; empty for that of the system. It may
   * change: asked about once a second.
   */
  String congestion(Direction direction);

  /** Says how the connection is closed from outside. Called once, before anything is passed on. */
  void closedBy(Runnable close);

  /** Where bytes go. */
  enum Direction {
    TO_TARGET,
    TO_CLIENT
  }

  /**
   * Holds bytes that the other end does not take yet. Called once for each direction, when both
   * ends are connected.
   *
   * @param loop of the connection
   * @return empty: whoever sends is held back instead
   */
  Optional<Backlog> backlog(
      Direction direction, EventLoop loop, ByteBufAllocator allocator, Backlog.Listener listener);

  /**
   * Whether the connection stays open to the other end although the sending end has gone: bytes
   * that this end has sent, on this connection or another one, are on their way.
   *
   * @param goneNanos since the sending end has gone
   */
  boolean lingers(Direction direction, long goneNanos);

  /**
   * When nothing has passed for so long, in either direction, the connection is stuck: the ends of
   * one that waits send pings or idle frames. It is also stuck when bytes wait for one end and it
   * has taken nothing for so long, whatever that end sends.
   */
  long longestSilenceNanos();

  /** So many bytes have come and go on. On an event loop. */
  void passed(Direction direction, int bytes);

  /** Bytes were there, and for so long the other side did not take them. On an event loop. */
  void held(Direction direction, long nanos);

  /**
   * How the connection on which bytes leave is doing. On an event loop, about once a second.
   *
   * @param congestion TCP's congestion control on it; empty for what is not TCP
   */
  void seen(Direction direction, PathState state, String congestion);

  /**
   * How long nothing more may be passed on, so that limits hold.
   *
   * @return nanoseconds; 0 for not at all
   */
  long nanosToWait();

  /** The connection has ended, on both sides. Called once, on an event loop. */
  void ended();
}
