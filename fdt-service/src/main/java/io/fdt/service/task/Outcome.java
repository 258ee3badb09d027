package io.fdt.service.task;

import io.fdt.core.error.ErrorCode;

/**
 * How one attempt of a task ended. Immutable.
 *
 * @param message one line: what, where, what to do
 * @param sessionMayRun whether the servers may still run it, so that the next attempt has to look
 * @param cause the error behind it; null when there is none or it is not known
 */
public record Outcome(
    End end, Counts counts, String message, boolean sessionMayRun, ErrorCode cause) {
  public Outcome(End end, Counts counts, String message, boolean sessionMayRun) {
    this(end, counts, message, sessionMayRun, null);
  }

  public enum End {
    SUCCEEDED,
    /** Another attempt would fail as well. */
    FAILED,
    /** The deadline has passed. */
    LATE,
    /** Another attempt may succeed. */
    FAULT,
    /** Stopped by its user or for a modification. */
    STOPPED
  }
}
