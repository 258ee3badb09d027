package io.fdt.client;

import io.fdt.core.tuning.Observation;

/**
 * Receives the events of a transfer while it runs, on a thread of the transfer: methods must be
 * quick.
 */
public interface TransferListener {
  /** Ignores all events. */
  TransferListener NONE = problem -> {};

  /** One line of information that is not a failure. */
  default void notice(String message) {}

  /**
   * The sender's measurements and the bottleneck, about once a second. In a pull only with {@link
   * TransferRequest.Builder#explain} or with auto-tuning.
   */
  default void observed(Observation seen) {}

  /** A file was transferred and verified. */
  default void fileDone(DoneFile file) {}

  /** A file was already there. Valid only during this call. */
  default void fileUnchanged(FoundFile file) {}

  /** In a dry run: the file would be transferred. Valid only during this call. */
  default void fileDue(FoundFile file) {}

  /** A name that the source lacks was deleted at the destination, or would be. */
  default void deleted(DeletedName name) {}

  /** A file, directory or link failed or was skipped. */
  void problem(FileProblem problem);
}
