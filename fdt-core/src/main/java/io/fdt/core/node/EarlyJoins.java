package io.fdt.core.node;

import io.fdt.core.security.AddressRange;
import io.fdt.core.wire.SessionId;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Joins of data streams that arrive before the request for their session: each waits for a moment.
 * Thread-safe.
 */
final class EarlyJoins {
  /**
   * Most waiting joins. Memory: one connection each, all of them among the server's unauthenticated
   * connections.
   */
  static final int MOST = 1024;

  /** Most waiting joins of one address. */
  static final int MOST_OF_ONE_SITE = MOST / 2;

  private final long patienceMillis;
  private final Map<SessionId, List<CompletableFuture<Void>>> waiting = new HashMap<>();
  private final Map<String, Integer> bySite = new HashMap<>();
  private int count;

  /**
   * @param patience limit of each wait
   */
  EarlyJoins(Duration patience) {
    this.patienceMillis = patience.toMillis();
  }

  /**
   * Waits for a session.
   *
   * @return completes when it has begun, when the wait has timed out, or at once when too many
   *     wait; to be cancelled when the connection closes
   */
  synchronized CompletableFuture<Void> await(SessionId id, InetAddress address) {
    CompletableFuture<Void> begun = new CompletableFuture<>();
    String site = AddressRange.siteOf(address);
    if (count == MOST || bySite.getOrDefault(site, 0) == MOST_OF_ONE_SITE) {
      begun.complete(null);
      return begun;
    }
    count++;
    bySite.merge(site, 1, Integer::sum);
    waiting.computeIfAbsent(id, i -> new ArrayList<>()).add(begun);
    begun
        .completeOnTimeout(null, patienceMillis, TimeUnit.MILLISECONDS)
        .whenComplete((nothing, cancelled) -> leave(id, site, begun));
    return begun;
  }

  synchronized int size() {
    return count;
  }

  @SuppressWarnings("CollectionUndefinedEquality") // identity of the future is meant
  private synchronized void leave(SessionId id, String site, CompletableFuture<Void> begun) {
    List<CompletableFuture<Void>> others = waiting.get(id);
    if (others != null && others.remove(begun)) {
      count--;
      bySite.computeIfPresent(site, (s, n) -> n == 1 ? null : n - 1);
      if (others.isEmpty()) {
        waiting.remove(id);
      }
    }
  }

  /** Completes the waits for this session. */
  void begun(SessionId id) {
    List<CompletableFuture<Void>> ready;
    synchronized (this) {
      ready = List.copyOf(waiting.getOrDefault(id, List.of()));
    }
    ready.forEach(join -> join.complete(null));
  }
}
