package io.fdt.service.task;

import io.fdt.core.error.ErrorCode;

/**
 * How one attempt of a task ended. Immutable.
 *
 * @param message one line: what, where, what to do
 * @param sessionMayRun whether the servers may still be at it, so that the next attempt has to look
 * @param cause the error behind it; null when there is none or it is not known
 */
public record Outcome(
    End end, Counts counts, String message, boolean sessionMayRun, ErrorCode cause) {
  /** One without an error that is known. */
  public Outcome(End end, Counts counts, String message, boolean sessionMayRun) {
    this(end, counts, message, sessionMayRun, null);
  }

  /** The ways to end. */
  public enum End {
    SUCCEEDED,
    /** Another attempt would fail as well. */
    FAILED,
    /** The deadline has passed. */
    LATE,
    /** Another attempt may succeed. */
    FAULT,
    /** Its user, or what was modified, has stopped it. */
    STOPPED
  }
}
