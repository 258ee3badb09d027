package io.fdt.service.task;

/** The user's request to a running task. Stored, so that a restart keeps it. */
public enum Intent {
  RUN,
  PAUSE,
  CANCEL,
  /** Stop, and continue with the modified options. */
  RESTART
}
