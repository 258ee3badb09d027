package io.fdt.service.task;

/** What a task does. */
public enum TaskKind {
  /** Copies from one endpoint to another. */
  TRANSFER,
  /** Removes names at one endpoint. */
  DELETE
}
