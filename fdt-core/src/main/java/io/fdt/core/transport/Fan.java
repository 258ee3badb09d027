package io.fdt.core.transport;

import io.fdt.core.wire.FanMember;

/**
 * Over how many connections the data of one part of a way goes: {@code connections} for each {@code
 * streams} streams, spread over them as evenly as possible. Immutable.
 *
 * @param connections 1 to {@link #MAX_CONNECTIONS}, and not less than {@code streams}
 * @param streams 1 or more
 */
public record Fan(int connections, int streams) {
  /** Each stream has one connection. */
  public static final Fan NONE = new Fan(1, 1);

  /** Connections of one part. */
  public static final int MAX_CONNECTIONS = 128;

  /** Connections of one stream. */
  public static final int MAX_OF_STREAM = FanMember.MAX_COUNT;

  public Fan {
    if (streams < 1 || connections < streams || connections > MAX_CONNECTIONS) {
      throw new IllegalArgumentException(
          "%d connections for %d streams: at least one for each, at most %d"
              .formatted(connections, streams, MAX_CONNECTIONS));
    }
    if ((connections + streams - 1) / streams > MAX_OF_STREAM) {
      throw new IllegalArgumentException(
          "%d connections for %d streams: more than %d for one of them"
              .formatted(connections, streams, MAX_OF_STREAM));
    }
  }

  /** Whether each stream has a connection of its own, and no more. */
  public boolean isOneToOne() {
    return connections == streams;
  }

  /** Connections of the stream at one of the {@code streams} places, counted from 0. */
  int ofPlace(int place) {
    return (place + 1) * connections / streams - place * connections / streams;
  }
}
