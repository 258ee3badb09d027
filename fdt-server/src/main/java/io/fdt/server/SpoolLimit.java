package io.fdt.server;

import io.fdt.core.engine.RunningSession;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Keeps copies to a spool within its size. Confined to one thread, but for {@link #full}. */
final class SpoolLimit {
  private final Spool spool;
  private final ServerSessions sessions;

  /** What copies to the spool have brought, as last seen. */
  private final Map<RunningSession, Long> filling = new LinkedHashMap<>();

  /** Of all files, but for what {@link #filling} counts; negative for unknown. */
  private volatile long restingBytes = -1;

  SpoolLimit(Spool spool, ServerSessions sessions) {
    this.spool = spool;
    this.sessions = sessions;
  }

  /** Something was removed: what is there is measured again. */
  void forget() {
    restingBytes = -1;
  }

  /** Whether nothing more may come. Any thread. */
  boolean isReached() {
    return restingBytes > spool.size().bytes();
  }

  /** Why nothing more may come. Any thread. */
  FdtException full() {
    return new FdtException(
        ErrorCode.STORAGE_FULL,
        "the spool of the relay is full (%s): try again when it has delivered something"
            .formatted(spool.size()));
  }

  /** Ends the youngest copy to a spool that is full. */
  void watch() {
    List<RunningSession> now = sessions.writingTo(Spool.EXPORT.toString());
    if (now.isEmpty()) {
      if (restingBytes < 0 || !filling.isEmpty()) {
        filling.clear();
        restingBytes = spool.bytes();
      }
      return;
    }
    for (RunningSession ended : List.copyOf(filling.keySet())) {
      if (!now.contains(ended)) {
        restingBytes = Math.max(0, restingBytes) + filling.remove(ended);
      }
    }
    long coming = 0;
    RunningSession youngest = null;
    for (RunningSession session : now) {
      long brought = session.progress().bytesDone();
      youngest = filling.put(session, brought) == null ? session : youngest;
      coming += brought;
    }
    if (Math.max(0, restingBytes) + coming > spool.size().bytes()) {
      (youngest == null ? now.get(now.size() - 1) : youngest).abort(full());
    }
  }
}
