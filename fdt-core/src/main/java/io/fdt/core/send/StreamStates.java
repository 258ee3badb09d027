package io.fdt.core.send;

import io.fdt.core.engine.StreamSet;
import io.fdt.core.transport.DataStream;
import io.fdt.core.transport.PathState;
import io.fdt.core.tuning.Detail;
import io.fdt.core.tuning.StreamState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The work of each stream of a session between two samples, for a monitor.
 *
 * <p>Not thread-safe: confined to the event loop of the session.
 */
final class StreamStates {
  private static final PathState UNKNOWN = new PathState(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

  private record Seen(long wireBytes, PathState path) {}

  /** The previous state of a new stream. */
  private static final Seen NEW = new Seen(0, UNKNOWN);

  private final StreamSet streams;
  private Map<Integer, Seen> last = Map.of();

  StreamStates(StreamSet streams) {
    this.streams = streams;
  }

  /**
   * The work of each stream since the last call, by number; only the first ones if there are many.
   */
  List<StreamState> take() {
    Map<Integer, Seen> now = new HashMap<>();
    List<StreamState> states = new ArrayList<>();
    List<StreamSet.OutboundStream> used = streams.used();
    for (StreamSet.OutboundStream one : streams.all()) {
      if (states.size() == Detail.MOST_STREAMS) {
        break;
      }
      states.add(take(one.stream(), !used.contains(one), now));
    }
    last = now;
    states.sort(Comparator.comparingInt(StreamState::number));
    return states;
  }

  private StreamState take(DataStream stream, boolean parked, Map<Integer, Seen> now) {
    PathState path = stream.pathState().orElse(UNKNOWN);
    long wireBytes = stream.wireBytes();
    Seen before = last.getOrDefault(stream.number(), NEW);
    now.put(stream.number(), new Seen(wireBytes, path));
    return new StreamState(
        stream.number(),
        parked,
        Math.max(0, wireBytes - before.wireBytes()),
        path.roundTripMicros(),
        path.leastRoundTripMicros(),
        Math.max(0, path.segments() - before.path().segments()),
        Math.max(0, path.retransmits() - before.path().retransmits()),
        path.windowBytes(),
        path.queuedBytes());
  }
}
