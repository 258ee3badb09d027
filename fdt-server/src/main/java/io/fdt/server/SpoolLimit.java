package io.fdt.server;

import io.fdt.core.engine.RunningSession;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.Grant;
import io.fdt.core.unit.ByteSize;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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

  SpoolLimit(Spool spool, ServerSessions sessions) {
    this.spool = spool;
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

  /** Ends the youngest copy to a spool that is full, and all of a token that has no more room. */
  void watch() throws FdtException {
    Map<RunningSession, Grant> now = sessions.writingTo(Spool.EXPORT.toString());
    if (now.isEmpty()) {
      if (resting == null || !filling.isEmpty()) {
        filling.clear();
        resting = spool.bytesByToken();
      }
      return;
    }
    Map<String, Long> all = new HashMap<>(resting == null ? Map.of() : resting);
    for (RunningSession ended : List.copyOf(filling.keySet())) {
      if (!now.containsKey(ended)) {
        Coming brought = filling.remove(ended);
        all.merge(brought.token(), brought.bytes(), Long::sum);
      }
    }
    resting = Map.copyOf(all);
    RunningSession youngest = null;
    for (Map.Entry<RunningSession, Grant> one : now.entrySet()) {
      RunningSession session = one.getKey();
      String token = Spool.prefix(one.getValue());
      long brought = session.progress().bytesDone();
      youngest = filling.put(session, new Coming(token, brought)) == null ? session : youngest;
      all.merge(token, brought, Long::sum);
    }
    if (sum(all) > spool.size().bytes()) {
      (youngest == null ? now.keySet().iterator().next() : youngest).abort(full());
    }
    for (Map.Entry<RunningSession, Grant> one : now.entrySet()) {
      long most = one.getValue().relay().spoolBytes();
      if (most > 0 && all.getOrDefault(Spool.prefix(one.getValue()), 0L) > most) {
        one.getKey().abort(full(most));
      }
    }
  }
}
