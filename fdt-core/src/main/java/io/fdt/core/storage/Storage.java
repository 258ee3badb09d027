package io.fdt.core.storage;

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
}
