package io.fdt.core.engine;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.EntryKind;
import io.fdt.core.tuning.Observation;
import java.util.function.Supplier;

/** Hears what happens to a session. Called on the session's event loop: methods must be quick. */
public interface TransferEvents {
  /**
   * Something will not arrive.
   *
   * @param path what, for people; empty when {@code message} says it
   * @param skipped true for what is never copied
   */
  void problem(String path, boolean skipped, ErrorCode code, String message);

  /**
   * A file is in place and verified; an unchanged file is reported by {@link #fileUnchanged}.
   *
   * @param path for people, at this end; made when it is asked for, now
   * @param size bytes
   * @param resumed whether some of its bytes are of an interrupted transfer, and its source has
   *     been proven unchanged since
   * @param digest of the whole file, by the method of the session; empty when there is none
   */
  default void fileDone(Supplier<String> path, long size, boolean resumed, byte[] digest) {}

  /**
   * A file was there already.
   *
   * @param path as in {@link #fileDone}
   * @param digest at a receiver that has compared it; empty otherwise
   */
  default void fileUnchanged(Supplier<String> path, long size, byte[] digest) {}

  /**
   * A dry run: the file would be moved.
   *
   * @param path as in {@link #fileDone}
   * @param toMove bytes of it that are not there
   */
  default void fileDue(Supplier<String> path, long size, long toMove) {}

  /**
   * A name that the source lacks is gone.
   *
   * @param path for people
   * @param kind what it was; null for a device, socket or FIFO
   * @param pretended a dry run: it would go
   */
  default void deleted(String path, EntryKind kind, boolean pretended) {}

  /** The sender's figures, about once a second; at a receiver only on request. */
  default void observed(Observation seen) {}

  /** Something that a person should know, and that is no failure. One line. */
  void notice(String message);

  /** Every entry has an outcome, and both ends know. Called once, unless {@link #failed} is. */
  void finished();

  /** This end cannot go on. Called once, unless {@link #finished} is. */
  void failed(FdtException cause);
}
