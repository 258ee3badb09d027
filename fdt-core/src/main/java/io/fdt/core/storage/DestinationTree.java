package io.fdt.core.storage;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Root;
import java.util.List;
import java.util.function.LongConsumer;

/** The receiver's side of a dataset. */
public interface DestinationTree extends AutoCloseable {
  /**
   * Finds or makes the directory that receives these roots, by the rule in {@link
   * io.fdt.core.model.DestinationRule}. A disk operation; called once, first.
   *
   * @throws FdtException WRONG_KIND, FORBIDDEN, PERMISSION, ...: nothing of the dataset can arrive
   */
  Base open(List<Root> roots) throws FdtException;

  /** Forces the directories that {@link #open} had to make to their device. */
  void force() throws FdtException;

  /**
   * Removes what the source lacks.
   *
   * @param roots directories beneath the destination that the transfer filled
   * @param pretend whether it is only told what would be removed
   */
  void delete(List<List<FileName>> roots, boolean pretend, DeletionRules rules)
      throws InterruptedException;

  /** Whether a file may come whose name is the destination's, and whose size its end tells. */
  boolean takesStreams();

  /**
   * Tells where to count bytes that are read again, or are known without reading, while no data
   * flows, so that nobody takes that for a stall. Once, first.
   */
  default void meter(LongConsumer bytes) {}

  /** Closes what is still open. Idempotent. */
  @Override
  void close();

  /**
   * Where the dataset goes.
   *
   * @param directory what {@link io.fdt.core.model.Entry#ROOT} stands for
   * @param newName the name that the only entry gets in place of its own; null to keep it
   */
  record Base(DestinationDirectory directory, FileName newName) {}
}
