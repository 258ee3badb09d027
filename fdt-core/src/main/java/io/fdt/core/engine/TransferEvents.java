package io.fdt.core.engine;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.EntryKind;
import io.fdt.core.tuning.Observation;
import java.util.function.Supplier;

/** Receives the events of a session. Called on the session's event loop: methods must be quick. */
public interface TransferEvents {
  /**
   * An entry failed or was skipped.
   *
   * @param path escaped; empty when {@code message} names it
   * @param skipped true for kinds that are never copied
   */
  void problem(String path, boolean skipped, ErrorCode code, String message);

  /**
   * A file is in place and verified; an unchanged file is reported by {@link #fileUnchanged}.
   *
   * @param path escaped, at this end; evaluated during this call only
   * @param size bytes
   * @param resumed whether some bytes are from an interrupted transfer, with the source proven
   *     unchanged since
   * @param digest of the whole file, by the method of the session; empty without a digest
   */
  default void fileDone(Supplier<String> path, long size, boolean resumed, byte[] digest) {}

  /**
   * A file was unchanged.
   *
   * @param path as in {@link #fileDone}
   * @param isNewer whether it is kept because it is newer than the source
   * @param digest computed by a receiver that compares digests; otherwise empty
   */
  default void fileUnchanged(Supplier<String> path, long size, boolean isNewer, byte[] digest) {}

  /**
   * In a dry run: the file would be transferred.
   *
   * @param path as in {@link #fileDone}
   * @param toMove bytes missing at the destination
   * @param replaces whether it would replace an existing name
   */
  default void fileDue(Supplier<String> path, long size, long toMove, boolean replaces) {}

  /**
   * A file was under way when the session ended before its end.
   *
   * @param path as in {@link #fileDone}
   * @param written bytes that this session has written at the receiver, as far as this end knows
   */
  default void fileUnfinished(Supplier<String> path, long written) {}

  /**
   * A name that the source lacks was deleted.
   *
   * @param path escaped
   * @param kind null for a device, socket or FIFO
   * @param pretended whether this is a dry run, which deletes nothing
   */
  default void deleted(String path, EntryKind kind, boolean pretended) {}

  /** The sender's figures, about once a second; at a receiver only on request. */
  default void observed(Observation seen) {}

  /** Information for the user that is not a failure. One line. */
  void notice(String message);

  /**
   * Both ends know that every entry has an outcome. Called once, unless {@link #failed} is called.
   */
  void finished();

  /** This end cannot continue. Called once, unless {@link #finished} is called. */
  void failed(FdtException cause);
}
