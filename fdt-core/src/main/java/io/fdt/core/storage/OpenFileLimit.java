package io.fdt.core.storage;

import io.fdt.core.error.FdtException;

/** How many unfinished files may be open at once. Thread-safe. */
public interface OpenFileLimit {
  /** As many as the process can have. */
  OpenFileLimit NONE =
      new OpenFileLimit() {
        @Override
        public void take() {}

        @Override
        public void giveBack() {}
      };

  /**
   * A file is about to be opened.
   *
   * @throws FdtException RESOURCES when there are enough
   */
  void take() throws FdtException;

  /** A file was closed, or was not opened after all. Once for each {@link #take}. */
  void giveBack();
}
