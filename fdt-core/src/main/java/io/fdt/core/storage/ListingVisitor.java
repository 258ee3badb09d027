package io.fdt.core.storage;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;

/** Receives the items of a listing one by one, while directories are read. */
public interface ListingVisitor {
  /** Opens a listed file, without following links. */
  interface Opener {
    /**
     * Opens it.
     *
     * @throws FdtException SOURCE_CHANGED when it is not the listed file any more, PERMISSION, ...
     */
    ListedFile open() throws FdtException;
  }

  /**
   * One line of a listing.
   *
   * @param name last name; in a tree the path beneath the directory that was asked for; the path
   *     that was asked for when it is the thing itself
   * @param attributes its attributes
   * @param linkTarget where a link points; empty for everything else
   * @param opener of a file; null for everything else. Good until the listing ends
   */
  record Item(BytePath name, Attributes attributes, BytePath linkTarget, Opener opener) {}

  void item(Item item) throws FdtException, InterruptedException;

  /** A directory that could not be read, which does not end the listing of a tree. */
  default void failed(BytePath name, FdtException cause) throws FdtException, InterruptedException {
    throw cause;
  }

  /** All items have come; openers are good until this returns. */
  default void ended() throws FdtException, InterruptedException {}
}
