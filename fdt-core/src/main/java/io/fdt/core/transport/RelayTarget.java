package io.fdt.core.transport;

import java.net.InetSocketAddress;
import java.util.Optional;

/** Where a relay connects one connection to. */
public interface RelayTarget {
  /** The address of the other end. */
  InetSocketAddress address();

  /** How to connect to it over UDP; empty for over TCP. */
  Optional<ChannelDialer> datagrams();

  /** Says how the connection is closed from outside. Called once, before anything is passed on. */
  void closedBy(Runnable close);

  /** Where bytes go. */
  enum Direction {
    TO_TARGET,
    TO_CLIENT
  }

  /** So many bytes have been passed on. On an event loop. */
  void passed(Direction direction, int bytes);

  /** Bytes were there, and for so long the other side did not take them. On an event loop. */
  void held(Direction direction, long nanos);

  /** How the connection on which bytes leave is doing. On an event loop, about once a second. */
  void seen(Direction direction, PathState state);

  /**
   * How long nothing more may be passed on, so that limits hold.
   *
   * @return nanoseconds; 0 for not at all
   */
  long nanosToWait();

  /** The connection has ended. Called once, on an event loop. */
  void ended();
}
