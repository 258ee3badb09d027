package io.fdt.core.engine;

import io.fdt.core.error.FdtException;
import io.fdt.core.metrics.Progress;
import io.fdt.core.wire.SessionId;

/** One end of a session, for whoever counts, watches and ends sessions. Thread-safe. */
public interface RunningSession {
  SessionId id();

  /** Whether it has lost its connection and waits for another one. */
  boolean isWaiting();

  /** What has been done, at most a tenth of a second ago. */
  Progress progress();

  /** Ends it, and tells the other end why. */
  void abort(FdtException cause);
}
