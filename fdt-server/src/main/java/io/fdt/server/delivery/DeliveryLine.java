package io.fdt.server.delivery;

import io.fdt.core.unit.Backoff;
import io.fdt.core.wire.SessionId;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * The deliveries that wait for their turn, in order, and those that have it. Confined to one
 * thread.
 *
 * <pre>
 *   add --> WAITING -- next, while fewer than 16 have a turn --> TURN -- end --> (add after a pause)
 * </pre>
 */
final class DeliveryLine {
  /** The most concurrent sessions of deliveries; each counts against the server's limits. */
  private static final int MOST_AT_ONCE = 16;

  /** The pauses between attempts. */
  private static final Backoff PAUSES = new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(1));

  /** The longest wait of a delivery for a lost server before others get their turn. */
  private static final Duration TURN = Duration.ofMinutes(1);

  private final Set<SessionId> turns = new HashSet<>();
  private final Deque<SessionId> waiting = new ArrayDeque<>();

  /** Adds a delivery, unless it waits or has its turn already. */
  void add(SessionId place) {
    if (!waiting.contains(place) && !turns.contains(place)) {
      waiting.add(place);
    }
  }

  /** The next delivery to get a turn; empty if none waits or too many have theirs. */
  Optional<SessionId> next() {
    if (turns.size() >= MOST_AT_ONCE || waiting.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(waiting.remove());
  }

  /** Begins the turn of a delivery. */
  void begin(SessionId place) {
    waiting.remove(place);
    turns.add(place);
  }

  /** Ends the turn of a delivery. */
  void end(SessionId place) {
    turns.remove(place);
  }

  boolean hasTurn(SessionId place) {
    return turns.contains(place);
  }

  /**
   * The pause before the next attempt.
   *
   * @param failed attempts so far, at least 1
   */
  static Duration pause(int failed) {
    return Duration.ofNanos(PAUSES.nanosAfter(failed));
  }

  /**
   * The time for which an attempt waits for a lost server.
   *
   * @param left until the deadline of the delivery
   */
  static Duration turn(Duration left) {
    return left.compareTo(TURN) < 0 ? left : TURN;
  }
}
