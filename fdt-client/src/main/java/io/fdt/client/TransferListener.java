package io.fdt.client;

import io.fdt.core.tuning.Observation;

/**
 * Hears what happens to a transfer while it runs. Called on a thread of the transfer: methods must
 * be quick.
 */
public interface TransferListener {
  /** Hears nothing. */
  TransferListener NONE = problem -> {};

  /** Something that a person should know, and that is no failure. One line. */
  default void notice(String message) {}

  /**
   * What the sender has seen, and what limits it, about once a second. In a pull only with {@link
   * TransferRequest.Builder#explain} or when something is tuned.
   */
  default void observed(Observation seen) {}

  /**
   * A file was moved and verified. Not told of files that were there already. A transfer keeps no
   * list of them.
   */
  default void fileDone(DoneFile file) {}

  /** A file was there already. To be asked while it is told of. */
  default void fileUnchanged(FoundFile file) {}

  /** A dry run: the file would be moved. To be asked while it is told of. */
  default void fileDue(FoundFile file) {}

  /** A name that the source lacks is gone at the destination, or would be. */
  default void deleted(DeletedName name) {}

  /** Something will not arrive. */
  void problem(FileProblem problem);
}
