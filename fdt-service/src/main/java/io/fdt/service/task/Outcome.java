package io.fdt.service.task;

import io.fdt.core.error.ErrorCode;

/**
 * The outcome of one attempt of a task. Immutable.
 *
 * @param message one line: what, where, what to do
 * @param sessionMayRun whether the servers may still run it, so that the next attempt must search
 *     for it
 * @param cause the error; null for none or an unknown one
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
