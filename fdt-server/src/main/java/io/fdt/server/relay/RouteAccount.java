package io.fdt.server.relay;

import io.fdt.core.transport.PathState;
import io.fdt.core.transport.RelayTarget;
import io.fdt.core.wire.control.Passed;
import io.fdt.core.wire.control.RouteState;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/** Bytes, rates and losses of the connections of one route. Time is an argument. Thread-safe. */
final class RouteAccount {
  /** One connection, in one direction. Guarded by the account. */
  private static final class Flow {
    private long bytes;
    private long heldNanos;
    private long roundTripMicros;
    private long segments;
    private long repeated;

    /** The last state of its path; null before the first. */
    private PathState last;

    /** Bytes that wait for the other end, and the part that the sum includes. */
    private LongSupplier backlog = () -> 0;

    private long waiting;
  }

  /** All connections together, in one direction. */
  private static final class Sum {
    private long bytes;

    /** Weighted by bytes: an idle control connection does not count. */
    private double heldTimesBytes;

    private double nanosTimesBytes;
    private double microsTimesBytes;
    private long segments;
    private long repeated;

    private long waiting;
    private long mostWaiting;

    /** Congestion control of data connections; empty without TCP. */
    private String congestion = "";

    void add(Flow flow, long nanos) {
      bytes += flow.bytes;
      heldTimesBytes += (double) flow.heldNanos * flow.bytes;
      nanosTimesBytes += (double) nanos * flow.bytes;
      microsTimesBytes += (double) flow.roundTripMicros * flow.bytes;
      segments += flow.segments;
      repeated += flow.repeated;
    }

    Passed.Builder passed() {
      return Passed.newBuilder()
          .setBytes(bytes)
          .setHeld(nanosTimesBytes == 0 ? 0 : Math.min(1, heldTimesBytes / nanosTimesBytes))
          .setRoundTripMicros(bytes == 0 ? 0 : Math.round(microsTimesBytes / bytes))
          .setSegments(segments)
          .setSegmentsRepeated(repeated)
          .setWaiting(waiting)
          .setMostWaiting(mostWaiting)
          .setCongestion(congestion);
    }

    Sum copy() {
      Sum copy = new Sum();
      copy.bytes = bytes;
      copy.heldTimesBytes = heldTimesBytes;
      copy.nanosTimesBytes = nanosTimesBytes;
      copy.microsTimesBytes = microsTimesBytes;
      copy.segments = segments;
      copy.repeated = repeated;
      copy.waiting = waiting;
      copy.mostWaiting = mostWaiting;
      copy.congestion = congestion;
      return copy;
    }
  }

  /** One connection of the route. */
  final class Connection {
    private final long startNanos;
    private final boolean isData;
    private final Map<RelayTarget.Direction, Flow> flows =
        new EnumMap<>(RelayTarget.Direction.class);

    private Connection(long nowNanos, boolean isData) {
      this.startNanos = nowNanos;
      this.isData = isData;
      for (RelayTarget.Direction direction : RelayTarget.Direction.values()) {
        flows.put(direction, new Flow());
      }
    }

    void passed(RelayTarget.Direction direction, int bytes) {
      synchronized (RouteAccount.this) {
        flows.get(direction).bytes += bytes;
        all += bytes;
        look(direction, flows.get(direction).backlog.getAsLong());
      }
    }

    void held(RelayTarget.Direction direction, long nanos) {
      synchronized (RouteAccount.this) {
        flows.get(direction).heldNanos += nanos;
        if (isData && tunings.containsKey(direction)) {
          tunings.get(direction).held(nanos);
        }
      }
    }

    /** Sets the source for the number of waiting bytes. */
    void waitsIn(RelayTarget.Direction direction, LongSupplier backlog) {
      synchronized (RouteAccount.this) {
        flows.get(direction).backlog = backlog;
      }
    }

    private void look(RelayTarget.Direction direction, long waiting) {
      Flow flow = flows.get(direction);
      Sum sum = ended.get(direction);
      sum.waiting += waiting - flow.waiting;
      sum.mostWaiting = Math.max(sum.mostWaiting, sum.waiting);
      flow.waiting = waiting;
    }

    private void look() {
      flows.forEach((direction, flow) -> look(direction, flow.backlog.getAsLong()));
    }

    /**
     * Records the state of its path.
     *
     * @param congestion congestion control in use; empty for other transports than TCP
     */
    void seen(RelayTarget.Direction direction, PathState state, String congestion, long nowNanos) {
      synchronized (RouteAccount.this) {
        Flow flow = flows.get(direction);
        if (isData && !congestion.isEmpty()) {
          ended.get(direction).congestion = congestion;
          if (flow.last != null && tunings.containsKey(direction)) {
            tunings.get(direction).seen(flow.last, state, nowNanos);
          }
        }
        flow.last = state;
        flow.roundTripMicros = state.roundTripMicros();
        flow.segments = state.segments();
        flow.repeated = state.retransmits();
      }
    }

    void ended(long nowNanos) {
      synchronized (RouteAccount.this) {
        open.remove(this);
        dataConnections -= isData ? 1 : 0;
        flows.keySet().forEach(direction -> look(direction, 0));
        addTo(ended, nowNanos);
      }
    }

    private void addTo(Map<RelayTarget.Direction, Sum> sums, long nowNanos) {
      flows.forEach((direction, flow) -> sums.get(direction).add(flow, nowNanos - startNanos));
    }
  }

  // Guarded by this.
  private final Set<Connection> open = new HashSet<>();
  private final Map<RelayTarget.Direction, Sum> ended = new EnumMap<>(RelayTarget.Direction.class);
  private final Map<RelayTarget.Direction, PartTuning> tunings =
      new EnumMap<>(RelayTarget.Direction.class);
  private long all;
  private int dataConnections;
  private int mostDataConnections;

  /**
   * @param tuned directions with tuned congestion control
   */
  RouteAccount(Set<RelayTarget.Direction> tuned, long nowNanos) {
    tuned.forEach(direction -> tunings.put(direction, new PartTuning(nowNanos)));
    for (RelayTarget.Direction direction : RelayTarget.Direction.values()) {
      ended.put(direction, new Sum());
    }
  }

  /** Adds a relayed connection. */
  synchronized Connection opened(long nowNanos, boolean isData) {
    Connection connection = new Connection(nowNanos, isData);
    open.add(connection);
    dataConnections += isData ? 1 : 0;
    mostDataConnections = Math.max(mostDataConnections, dataConnections);
    return connection;
  }

  /** The number of open connections. */
  synchronized int connections() {
    return open.size();
  }

  /** The congestion control chosen for a tuned direction; empty for the system's default. */
  synchronized String congestion(RelayTarget.Direction direction) {
    return tunings.get(direction).congestion();
  }

  /** Bytes forwarded in both directions. */
  synchronized long bytes() {
    return all;
  }

  synchronized RouteState describe(long nowNanos) {
    open.forEach(Connection::look);
    Map<RelayTarget.Direction, Sum> sums = new EnumMap<>(RelayTarget.Direction.class);
    ended.forEach((direction, sum) -> sums.put(direction, sum.copy()));
    open.forEach(connection -> connection.addTo(sums, nowNanos));
    return RouteState.newBuilder()
        .setConnections(open.size())
        .setMostDataConnections(mostDataConnections)
        .setToTarget(sums.get(RelayTarget.Direction.TO_TARGET).passed())
        .setToClient(sums.get(RelayTarget.Direction.TO_CLIENT).passed())
        .build();
  }
}
