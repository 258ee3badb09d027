package io.fdt.core.storage;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Root;
import java.util.List;
import java.util.function.LongConsumer;

/** The destination of a transfer. */
public interface DestinationTree extends AutoCloseable {
  /**
   * Finds or creates the directory for these roots, by the rule in {@link
   * io.fdt.core.model.DestinationRule}. A disk operation; called once, first.
   *
   * @throws FdtException WRONG_KIND, FORBIDDEN, PERMISSION, ...: nothing can be received
   */
  Base open(List<Root> roots) throws FdtException;

  /** Syncs the directories that {@link #open} created. */
  void force() throws FdtException;

  /**
   * Removes names that the source lacks.
   *
   * @param roots directories beneath the destination that the transfer filled
   * @param pretend whether to only report the removals
   */
  void delete(List<List<FileName>> roots, boolean pretend, DeletionRules rules)
      throws InterruptedException;

  /**
   * A warning when these bytes exceed the free space; empty when they fit, or that is not known. A
   * disk operation.
   */
  default String shortage(long bytes) {
    return "";
  }

  /** The abilities of this destination. Constant; no disk operation. */
  Capabilities capabilities();

  /**
   * Sets a counter for bytes that are re-read, or known without reading, while no data flows, so
   * that this does not count as a stall. Called once, first.
   */
  default void meter(LongConsumer bytes) {}

  /** Releases the tree. Idempotent. */
  @Override
  void close();

  /**
   * The destination of files.
   *
   * @param directory of {@link io.fdt.core.model.Entry#ROOT}
   * @param newName the name for the only entry instead of its own; null to keep it
   * @param older where bytes of new files are looked for; null for none
   */
  record Base(DestinationDirectory directory, FileName newName, Older older) {
    public Base(DestinationDirectory directory, FileName newName) {
      this(directory, newName, null);
    }
  }

  /**
   * An older version of the tree, or of its only file. Nothing in it is changed.
   *
   * @param directory the tree, or the directory of the file; missing ones count as empty
   * @param name of the file; null for a tree
   */
  record Older(DestinationDirectory directory, FileName name) {}
}
