package io.fdt.service.task;

/** What the user of a running task wants of it. Stored, so that a restart does not forget it. */
public enum Intent {
  RUN,
  PAUSE,
  CANCEL,
  /** Stop, and go on with what was modified. */
  RESTART
}
