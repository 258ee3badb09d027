package io.fdt.service.store;

/** Another process works on the task now: this process must not write any more results. */
public final class LostTaskException extends RuntimeException {
  private static final long serialVersionUID = 1;

  LostTaskException(String taskId) {
    super("task " + taskId + " was taken over by another process of the service");
  }
}
