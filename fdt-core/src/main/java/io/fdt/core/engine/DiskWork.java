package io.fdt.core.engine;

import io.fdt.core.error.FdtException;

/** Work of a disk thread in a transfer: reading, writing, comparing, deleting. */
@FunctionalInterface
public interface DiskWork {
  void run() throws FdtException;

  /** Does the work; returns its failure, or null. */
  static FdtException attempt(DiskWork work) {
    try {
      work.run();
      return null;
    } catch (FdtException e) {
      return e;
    } catch (RuntimeException | Error e) { // what waits for an answer must get one
      return FdtException.unforeseen("work on a disk failed", e);
    }
  }
}
