package io.fdt.core.storage;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.spec.TransferSpec;

/**
 * A back end for files: the directories of this machine, or a substitute. The engine, the client
 * and the server use files only through it. Any thread.
 */
public interface Storage {
  /** The extent of a listing. */
  enum Depth {
    /** The path itself. */
    ITSELF,
    /** The names in a directory; for anything else, the path itself. */
    CONTENTS,
    /**
     * All names beneath a directory, without unfinished files of transfers; for anything else, the
     * path itself.
     */
    TREE
  }

  /** Permission bits (0777) of a new file without a requested mode. */
  int newFileMode();

  /** The source of a transfer. Opens nothing yet. */
  SourceTree source(TransferSpec spec);

  /**
   * The destination of a transfer, or of its dry run. Opens nothing yet.
   *
   * @param openFiles the limit on open unfinished files
   */
  DestinationTree destination(TransferSpec spec, OpenFileLimit openFiles);

  /**
   * Lists a path on the calling thread. Links are shown, not followed.
   *
   * <p>First all names of the directory, in no order; then, for a tree, those of its
   * subdirectories, sorted by name.
   *
   * @throws FdtException NOT_FOUND, FORBIDDEN, PERMISSION, WRONG_KIND, and failures of the visitor
   */
  void list(BytePath path, Depth depth, ListingVisitor visitor)
      throws FdtException, InterruptedException;

  /**
   * Removes a path; with {@code recursive} a directory and its content.
   *
   * @throws FdtException NOT_FOUND; WRONG_KIND for a directory without {@code recursive}; READ_ONLY
   *     where nothing can be removed
   */
  default void remove(BytePath path, boolean recursive, RemovalVisitor visitor)
      throws FdtException, InterruptedException {
    throw new FdtException(
        ErrorCode.READ_ONLY, "'" + path + "' can only be read; choose another path");
  }

  /**
   * Visits the unfinished files that transfers left beneath a directory.
   *
   * @param remove whether to remove those that no running transfer holds
   * @throws FdtException {@code start} cannot be opened as a directory
   */
  default void leftovers(BytePath start, boolean remove, LeftoverVisitor visitor)
      throws FdtException {}

  /** Names the requests to slow down that this process has got, in one line; empty for none. */
  default String slowedBy() {
    return "";
  }
}
