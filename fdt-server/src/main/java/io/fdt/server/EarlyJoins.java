package io.fdt.server;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.wire.SessionId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Joins of data streams that have overtaken the request for their session: each waits for a moment.
 * Thread-safe.
 */
final class EarlyJoins {
  /** Memory: one connection each, all of them among the strangers of the server. */
  static final int MOST = 1024;

  private final long patienceMillis;
  private final Map<SessionId, List<CompletableFuture<Void>>> waiting = new HashMap<>();
  private int count;

  /**
   * @param patience how long each waits
   */
  EarlyJoins(Duration patience) {
    this.patienceMillis = patience.toMillis();
  }

  /**
   * Waits for a session.
   *
   * @return completes when it has begun; fails with FORBIDDEN, as for a session that is not there,
   *     when it has not begun in time, or too many wait
   */
  synchronized CompletableFuture<Void> await(SessionId id) {
    CompletableFuture<Void> begun = new CompletableFuture<>();
    if (count == MOST) {
      begun.completeExceptionally(noSession());
      return begun;
    }
    count++;
    waiting.computeIfAbsent(id, i -> new ArrayList<>()).add(begun);
    return begun
        .orTimeout(patienceMillis, TimeUnit.MILLISECONDS)
        .handle(
            (nothing, late) -> {
              leave(id, begun);
              return late == null
                  ? CompletableFuture.<Void>completedFuture(null)
                  : CompletableFuture.<Void>failedFuture(noSession());
            })
        .thenCompose(outcome -> outcome);
  }

  static FdtException noSession() {
    return new FdtException(ErrorCode.FORBIDDEN, "connection of no session here");
  }

  @SuppressWarnings("CollectionUndefinedEquality") // the very future is meant
  private synchronized void leave(SessionId id, CompletableFuture<Void> begun) {
    List<CompletableFuture<Void>> others = waiting.get(id);
    if (others != null && others.remove(begun)) {
      count--;
      if (others.isEmpty()) {
        waiting.remove(id);
      }
    }
  }

  /** This session can be joined from now on. */
  void begun(SessionId id) {
    List<CompletableFuture<Void>> ready;
    synchronized (this) {
      ready = List.copyOf(waiting.getOrDefault(id, List.of()));
    }
    ready.forEach(join -> join.complete(null));
  }
}
