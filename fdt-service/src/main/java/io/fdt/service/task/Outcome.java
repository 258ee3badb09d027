package io.fdt.service.task;

/**
 * How one attempt of a task ended. Immutable.
 *
 * @param message one line: what, where, what to do
 * @param sessionMayRun whether the servers may still be at it, so that the next attempt has to look
 */
public record Outcome(End end, Counts counts, String message, boolean sessionMayRun) {
  /** The ways to end. */
  public enum End {
    SUCCEEDED,
    /** Another attempt would fail as well. */
    FAILED,
    /** Another attempt may succeed. */
    FAULT,
    /** Its user, or what was modified, has stopped it. */
    STOPPED
  }
}
