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
 * The deliveries that wait for their turn, the first one first, and those that have it. Confined to
 * one thread.
 *
 * <pre>
 *   add --> WAITING -- next, while fewer than 16 have a turn --> TURN -- end --> (add after a pause)
 * </pre>
 */
final class DeliveryLine {
  /** Sessions of deliveries; each takes its part of what the server has for all sessions. */
  private static final int MOST_AT_ONCE = 16;

  /** Between attempts. */
  private static final Backoff PAUSES = new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(1));

  /** One whose server goes away in the middle makes way for others after so long. */
  private static final Duration TURN = Duration.ofMinutes(1);

  private final Set<SessionId> turns = new HashSet<>();
  private final Deque<SessionId> waiting = new ArrayDeque<>();

  /** Has it wait, unless it does or has its turn. */
  void add(SessionId place) {
    if (!waiting.contains(place) && !turns.contains(place)) {
      waiting.add(place);
    }
  }

  /** The next one that gets its turn; empty while there is none, or too many have theirs. */
  Optional<SessionId> next() {
    if (turns.size() >= MOST_AT_ONCE || waiting.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(waiting.remove());
  }

  /** It has its turn from now on, and waits no more. */
  void begin(SessionId place) {
    waiting.remove(place);
    turns.add(place);
  }

  /** Its turn is over. */
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
   * How long an attempt waits for a server that has gone away.
   *
   * @param left until the deadline of the delivery
   */
  static Duration turn(Duration left) {
    return left.compareTo(TURN) < 0 ? left : TURN;
  }
}
