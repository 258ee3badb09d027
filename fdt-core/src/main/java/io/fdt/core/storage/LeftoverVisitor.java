package io.fdt.core.storage;

import io.fdt.core.error.FdtException;

/** Receives the unfinished files that transfers left behind. */
public interface LeftoverVisitor {
  /**
   * One unfinished file.
   *
   * @param path of the file, escaped
   * @param bytes its size
   * @param finalPath its intended path, escaped; empty when unknown
   * @param inUse whether a running transfer holds it; it is not removed then
   * @param putBack whether it was moved back to {@code finalPath}: a transfer died while replacing
   *     it
   */
  record Leftover(String path, long bytes, String finalPath, boolean inUse, boolean putBack) {}

  /** A leftover file: removed if requested, or in use. */
  void leftover(Leftover file);

  /** A name that could not be read or removed. */
  void failed(String path, FdtException cause);
}
