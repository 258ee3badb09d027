package io.fdt.service.task;

/**
 * An event of a task. Immutable.
 *
 * @param number 1 for the first of a task
 * @param at milliseconds since 1970
 * @param cause the name of the error code behind it; empty for none
 */
public record TaskEvent(
    long number, long at, Code code, boolean isError, String detail, String cause) {
  public enum Code {
    SUBMITTED,
    STARTED,
    /** A restarted service has found the transfer still running. */
    FOUND_AGAIN,
    /** An attempt failed; the task continues. */
    FAULT,
    /** One file failed. */
    PROBLEM,
    /** One name was deleted at the destination. */
    DELETED,
    NOTICE,
    MODIFIED,
    PAUSED,
    RESUMED,
    SUCCEEDED,
    FAILED,
    CANCELLED;

    /** Whether the event concerns the task, not one of its files. */
    public boolean isOfItsLife() {
      return this != PROBLEM && this != DELETED && this != NOTICE;
    }
  }
}
