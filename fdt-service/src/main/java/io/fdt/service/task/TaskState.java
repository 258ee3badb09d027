package io.fdt.service.task;

import java.util.EnumSet;
import java.util.Set;

/**
 * The state of a task.
 *
 * <pre>
 *   QUEUED ---> ACTIVE ---> SUCCEEDED | FAILED
 *     ^  ^        |  |
 *     |  |        |  +----> RETRYING ---> ACTIVE      after a fault, with a pause
 *     |  +--------+                                   modified while it ran
 *     |
 *   PAUSED <--- QUEUED | ACTIVE | RETRYING
 *
 *   CANCELLED <--- any that has not ended;  FAILED <--- any whose deadline has passed
 * </pre>
 */
public enum TaskState {
  /** The task waits for a free place. */
  QUEUED,
  ACTIVE,
  /** The task is tried again after a fault. */
  RETRYING,
  /** The user has paused the task, and can resume it. */
  PAUSED,
  SUCCEEDED,
  FAILED,
  CANCELLED;

  public boolean hasEnded() {
    return compareTo(SUCCEEDED) >= 0;
  }

  /** Whether the chart has an edge from this state to another one. */
  public boolean mayMoveTo(TaskState next) {
    return next().contains(next);
  }

  private Set<TaskState> next() {
    return switch (this) {
      case QUEUED, RETRYING -> EnumSet.of(ACTIVE, PAUSED, CANCELLED, FAILED);
      case ACTIVE -> EnumSet.of(SUCCEEDED, FAILED, CANCELLED, RETRYING, PAUSED, QUEUED);
      case PAUSED -> EnumSet.of(QUEUED, CANCELLED, FAILED);
      case SUCCEEDED, FAILED, CANCELLED -> EnumSet.noneOf(TaskState.class);
    };
  }
}
