package io.fdt.core.session;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.wire.control.Control;

/**
 * Something that a {@link SenderMachine} wants done.
 *
 * @param <S> what opens a file
 */
public sealed interface SenderAction<S> {
  /** Send a message to the receiver, in order. */
  record Send<S>(Control.Builder message) implements SenderAction<S> {}

  /** Read: {@link SenderEvent.JobRead}, or {@link SenderEvent.Surveyed}. */
  record Read<S>(int queue, ReadJob<S> job) implements SenderAction<S> {}

  /** Close a file that readers have open: it is read from its start again, or not at all. */
  record CloseFile<S>(OutgoingFile<S> file) implements SenderAction<S> {}

  /** Let the walk go on: entries of this weight have their outcome. */
  record ReleaseWindow<S>(int weight) implements SenderAction<S> {}

  /**
   * The outcome of a file is known: give it back and tell the user.
   *
   * @param code null unless it failed
   */
  record FileSettled<S>(OutgoingFile<S> file, FileOutcome outcome, ErrorCode code, String message)
      implements SenderAction<S> {}

  /**
   * Tell the user: something will not arrive, or not whole.
   *
   * @param path empty when the message says it
   * @param skipped true for what is never copied
   */
  record Problem<S>(String path, boolean skipped, ErrorCode code, String message)
      implements SenderAction<S> {}

  /** Close a stream that is stuck while others are not. */
  record CloseStream<S>(int stream) implements SenderAction<S> {}

  /**
   * Send an idle frame on a stream, if it is free: address translators forget connections that are
   * silent for long. {@link SenderEvent.KeptOpen} follows when it was sent.
   */
  record KeepOpen<S>(int stream) implements SenderAction<S> {}

  /** Every entry has its outcome, and both ends know. */
  record Complete<S>() implements SenderAction<S> {}

  /** The session cannot go on. */
  record Fail<S>(FdtException cause) implements SenderAction<S> {}
}
