package io.fdt.core.storage;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;

/** Receives the items of a listing one by one, while directories are read. */
public interface ListingVisitor {
  /** Opens a listed file, without following links. */
  interface Opener {
    /**
     * Opens the file.
     *
     * @throws FdtException SOURCE_CHANGED when the listed file was replaced, PERMISSION, ...
     */
    ListedFile open() throws FdtException;
  }

  /**
   * One item of a listing.
   *
   * @param name last name; in a tree the path beneath the listed directory; the listed path itself
   *     for {@link Storage.Depth#ITSELF}
   * @param linkTarget empty unless it is a link
   * @param opener null unless it is a file; valid until the listing ends
   */
  record Item(BytePath name, Attributes attributes, BytePath linkTarget, Opener opener) {}

  void item(Item item) throws FdtException, InterruptedException;

  /** A directory could not be read; the listing of a tree continues. */
  default void failed(BytePath name, FdtException cause) throws FdtException, InterruptedException {
    throw cause;
  }

  /** The listing is complete; openers stay valid until this returns. */
  default void ended() throws FdtException, InterruptedException {}
}
