package io.fdt.core.storage;

import io.fdt.core.error.FdtException;

/** A limit on open unfinished files. Thread-safe. */
public interface OpenFileLimit {
  /** No limit but that of the process. */
  OpenFileLimit NONE =
      new OpenFileLimit() {
        @Override
        public void take() {}

        @Override
        public void giveBack() {}
      };

  /**
   * Called before a file is opened.
   *
   * @throws FdtException RESOURCES at the limit
   */
  void take() throws FdtException;

  /** Called when a file was closed or failed to open, once for each {@link #take}. */
  void giveBack();
}
