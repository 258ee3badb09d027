package io.fdt.core.storage;

import io.fdt.core.error.FdtException;

/** Receives each name that a removal removed, or failed to remove. */
public interface RemovalVisitor {
  void removed(Attributes what) throws FdtException, InterruptedException;

  void failed(String path, FdtException cause) throws FdtException, InterruptedException;
}
