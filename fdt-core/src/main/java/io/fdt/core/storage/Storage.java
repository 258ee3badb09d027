package io.fdt.core.storage;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.spec.TransferSpec;

/**
 * A kind of place where files are: the directories of this machine, or what stands in for them. The
 * engine, the client and the server know files through it alone. Any thread.
 */
public interface Storage {
  /** How far a listing looks. */
  enum Depth {
    /** The one thing that the path names. */
    ITSELF,
    /** The names in a directory; anything else itself. */
    CONTENTS,
    /**
     * All names beneath a directory, without unfinished files of transfers; anything else itself.
     */
    TREE
  }

  /** Permission bits (0777) of a new file for which no mode is asked. */
  int newFileMode();

  /** The sources of a transfer. Nothing is opened yet. */
  SourceTree source(TransferSpec spec);

  /**
   * The destination of a transfer, or of its dry run. Nothing is opened yet.
   *
   * @param openFiles the limit of unfinished files that are open at once
   */
  DestinationTree destination(TransferSpec spec, OpenFileLimit openFiles);

  /**
   * Lists a path on the calling thread. Links are shown, not followed.
   *
   * <p>Of a directory come all names, in no order; then, of a tree, the names in its
   * subdirectories, these sorted by name.
   *
   * @throws FdtException NOT_FOUND, FORBIDDEN, PERMISSION, WRONG_KIND, and what the visitor throws
   */
  void list(BytePath path, Depth depth, ListingVisitor visitor)
      throws FdtException, InterruptedException;
}
