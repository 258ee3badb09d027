package io.fdt.server;

import io.fdt.core.engine.RunningSession;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.Grant;
import io.fdt.core.unit.ByteSize;
import io.fdt.core.wire.SessionId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Keeps copies to a spool within its size, and those of each token within what it may leave.
 * Confined to one thread, but for what says otherwise.
 */
final class SpoolLimit {
  private record Coming(String token, long bytes) {}

  private final Spool spool;
  private final ServerSessions sessions;

  /** What copies to the spool have brought, as last seen. */
  private final Map<RunningSession, Coming> filling = new LinkedHashMap<>();

  /** Of all files by token, but for what {@link #filling} counts; null for unknown. */
  private volatile Map<String, Long> resting;

  /** Where copies were ended that still run. */
  private final Set<SessionId> tooMuch = new HashSet<>();

  private final Consumer<SessionId> discard;

  /**
   * @param discard hears of places whose files have to go
   */
  SpoolLimit(Spool spool, ServerSessions sessions, Consumer<SessionId> discard) {
    this.spool = spool;
    this.discard = discard;
    this.sessions = sessions;
  }

  /** Something was removed: what is there is measured again. Any thread. */
  void forget() {
    resting = null;
  }

  /**
   * Makes sure that a token may leave more, by what was seen last. Any thread.
   *
   * @throws FdtException STORAGE_FULL
   */
  void check(Grant grant) throws FdtException {
    Map<String, Long> seen = resting;
    if (seen != null) {
      check(grant, seen);
    }
  }

  /**
   * The same, by what is there now. Any thread that may block.
   *
   * @throws FdtException STORAGE_FULL
   */
  void measure(Grant grant) throws FdtException {
    check(grant, spool.bytesByToken());
  }

  private void check(Grant grant, Map<String, Long> bytes) throws FdtException {
    if (sum(bytes) > spool.size().bytes()) {
      throw full();
    }
    long most = grant.relay().spoolBytes();
    if (most > 0 && bytes.getOrDefault(Spool.prefix(grant), 0L) > most) {
      throw full(most);
    }
  }

  private static long sum(Map<String, Long> bytes) {
    return bytes.values().stream().mapToLong(Long::longValue).sum();
  }

  private FdtException full() {
    return new FdtException(
        ErrorCode.STORAGE_FULL,
        "the spool of the relay is full (%s): try again when it has delivered something"
            .formatted(spool.size()));
  }

  private static FdtException full(long most) {
    return new FdtException(
        ErrorCode.STORAGE_FULL,
        "the token may leave %s with the relay: try again when it has delivered something"
            .formatted(ByteSize.ofBytes(most)));
  }

  /**
   * Ends the youngest copy to a spool that is full, and all of a token that has no more room. What
   * they have brought goes: the room is for others.
   */
  void watch() throws FdtException {
    List<ServerSessions.Writing> now = sessions.writingTo(Spool.EXPORT.toString());
    Map<String, Long> all = rested(now);
    RunningSession youngest = null;
    for (ServerSessions.Writing one : now) {
      String token = Spool.prefix(one.grant());
      long brought = one.session().progress().bytesDone();
      Coming before = filling.put(one.session(), new Coming(token, brought));
      youngest = before == null ? one.session() : youngest;
      all.merge(token, brought, Long::sum);
    }
    boolean isFull = sum(all) > spool.size().bytes();
    for (ServerSessions.Writing one : now) {
      long most = one.grant().relay().spoolBytes();
      if (most > 0 && all.getOrDefault(Spool.prefix(one.grant()), 0L) > most) {
        end(one, full(most));
      } else if (isFull && (youngest == null || youngest == one.session())) {
        end(one, full());
        isFull = false;
      }
    }
  }

  /** What is there besides what copies bring now. */
  private Map<String, Long> rested(List<ServerSessions.Writing> now) throws FdtException {
    Map<String, Long> all = new HashMap<>(resting == null ? Map.of() : resting);
    Set<RunningSession> running =
        now.stream().map(ServerSessions.Writing::session).collect(Collectors.toSet());
    for (RunningSession ended : List.copyOf(filling.keySet())) {
      if (!running.contains(ended)) {
        Coming brought = filling.remove(ended);
        all.merge(brought.token(), brought.bytes(), Long::sum);
      }
    }
    boolean isFreed = false;
    for (SessionId place : List.copyOf(tooMuch)) {
      if (now.stream().noneMatch(one -> Spool.placeIn(one.destination()).equals(place))) {
        tooMuch.remove(place);
        discard.accept(place);
        isFreed = true;
      }
    }
    if (now.isEmpty() && (resting == null || isFreed || !all.equals(resting))) {
      all = new HashMap<>(spool.bytesByToken());
    }
    resting = Map.copyOf(all);
    return all;
  }

  private void end(ServerSessions.Writing one, FdtException cause) {
    tooMuch.add(Spool.placeIn(one.destination()));
    one.session().abort(cause);
  }
}
