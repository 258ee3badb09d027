package io.fdt.core.transport;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.util.Optional;

/** The destination of one relayed connection. */
public interface RelayTarget {
  InetSocketAddress address();

  /** How to connect to it over UDP; empty for TCP. */
  Optional<ChannelDialer> datagrams();

  /**
   * TCP congestion control for one direction; empty for the system's default. It may change, and is
   * polled about once a second.
   */
  String congestion(Direction direction);

  /**
   * Registers an action that closes the connection from outside. Called once, before anything is
   * forwarded.
   */
  void closedBy(Runnable close);

  /** Directions of bytes. */
  enum Direction {
    TO_TARGET,
    TO_CLIENT
  }

  /**
   * A queue for bytes that the other end does not accept yet. Called once for each direction, when
   * both ends are connected.
   *
   * @param loop of the connection
   * @return empty to hold the sender back instead
   */
  Optional<Backlog> backlog(
      Direction direction, EventLoop loop, ByteBufAllocator allocator, Backlog.Listener listener);

  /**
   * Whether the connection to the other end stays open although the sending end is closed: bytes of
   * this end, on this connection or another one, are still in transit.
   *
   * @param goneNanos since the sending end closed
   */
  boolean lingers(Direction direction, long goneNanos);

  /**
   * Idle limit: without traffic in either direction for this long, the connection is stuck, since
   * waiting ends send pings or idle frames. It is also stuck when bytes wait for one end and it has
   * accepted nothing for this long, whatever that end sends.
   */
  long longestSilenceNanos();

  /** Counts forwarded bytes. On an event loop. */
  void passed(Direction direction, int bytes);

  /**
   * Counts the time for which bytes waited because the other side did not accept them. On an event
   * loop.
   */
  void held(Direction direction, long nanos);

  /**
   * Reports the state of the outgoing connection. On an event loop, about once a second.
   *
   * @param congestion its TCP congestion control; empty for other transports
   */
  void seen(Direction direction, PathState state, String congestion);

  /**
   * The pause that rate limits require before more bytes may be forwarded.
   *
   * @return nanoseconds; 0 for none
   */
  long nanosToWait();

  /** The connection has ended on both sides. Called once, on an event loop. */
  void ended();
}
