package io.fdt.core.storage;

import io.fdt.core.error.FdtException;

/** Receives the unfinished files that transfers left. */
public interface LeftoverVisitor {
  /**
   * One unfinished file.
   *
   * @param path of the file, for people
   * @param bytes its size
   * @param finalPath the path that it would have got, for people; empty when unknown
   * @param inUse whether a running transfer holds it; it was not removed then
   * @param putBack whether it has {@code finalPath} again: a transfer died while it replaced it
   */
  record Leftover(String path, long bytes, String finalPath, boolean inUse, boolean putBack) {}

  /** A file that a transfer left, removed if that was asked for, or one that is in use. */
  void leftover(Leftover file);

  /** A name that could not be read or removed. */
  void failed(String path, FdtException cause);
}
