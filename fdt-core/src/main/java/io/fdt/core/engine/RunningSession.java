package io.fdt.core.engine;

import io.fdt.core.error.FdtException;
import io.fdt.core.metrics.Progress;
import io.fdt.core.wire.SessionId;

/** One end of a session, as monitors and limits see it. Thread-safe. */
public interface RunningSession {
  SessionId id();

  /** Whether it has lost its connection and waits for another one. */
  boolean isWaiting();

  /** The figures, at most a tenth of a second old. */
  Progress progress();

  /** Ends it, and sends the other end the reason. */
  void abort(FdtException cause);
}
