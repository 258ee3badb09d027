package io.fdt.service.task;

/** Kinds of tasks. */
public enum TaskKind {
  /** Copies from one endpoint to another. */
  TRANSFER,
  /** Removes names at one endpoint. */
  DELETE
}
