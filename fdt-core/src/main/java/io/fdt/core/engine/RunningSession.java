package io.fdt.core.engine;

import io.fdt.core.error.FdtException;
import io.fdt.core.metrics.Progress;
import io.fdt.core.wire.SessionId;

/** One end of a session, for monitors and limits. Thread-safe. */
public interface RunningSession {
  SessionId id();

  /** Whether the session has lost its control connection and waits for another one. */
  boolean isWaiting();

  /** The figures, at most a tenth of a second old. */
  Progress progress();

  /** Ends the session, and sends the reason to the peer. */
  void abort(FdtException cause);
}
