package io.fdt.core.session.sender;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.wire.control.Control;

/**
 * Something that a {@link SenderMachine} wants done.
 *
 * @param <S> what opens a file
 */
public sealed interface SenderAction<S> {
  /** Calls the one method of an executor that is for this action. */
  void carryOut(Executor<S> executor);

  /** Carries out actions: one method for each. */
  interface Executor<S> {
    void send(Control.Builder message);

    void read(Read<S> action);

    void closeFile(OutgoingFile<S> file);

    void releaseWindow(int weight);

    void fileSettled(FileSettled<S> action);

    void problem(String path, boolean skipped, ErrorCode code, String message);

    void closeStream(int stream);

    void keepOpen(int stream);

    void complete();

    void fail(FdtException cause);
  }

  /** Send a message to the receiver, in order. */
  record Send<S>(Control.Builder message) implements SenderAction<S> {
    @Override
    public void carryOut(Executor<S> executor) {
      executor.send(message);
    }
  }

  /** Read: {@link SenderEvent.Handler#jobRead}, or {@link SenderEvent.Handler#surveyed}. */
  record Read<S>(int queue, ReadJob<S> job) implements SenderAction<S> {
    @Override
    public void carryOut(Executor<S> executor) {
      executor.read(this);
    }
  }

  /** Close a file that readers have open: it is read from its start again, or not at all. */
  record CloseFile<S>(OutgoingFile<S> file) implements SenderAction<S> {
    @Override
    public void carryOut(Executor<S> executor) {
      executor.closeFile(file);
    }
  }

  /** Let the walk go on: entries of this weight have their outcome. */
  record ReleaseWindow<S>(int weight) implements SenderAction<S> {
    @Override
    public void carryOut(Executor<S> executor) {
      executor.releaseWindow(weight);
    }
  }

  /**
   * The outcome of a file is known: release it and report it.
   *
   * @param code null unless it failed
   */
  record FileSettled<S>(OutgoingFile<S> file, FileOutcome outcome, ErrorCode code, String message)
      implements SenderAction<S> {
    @Override
    public void carryOut(Executor<S> executor) {
      executor.fileSettled(this);
    }
  }

  /**
   * Tell the user: something will not arrive, or not whole.
   *
   * @param path empty when the message says it
   * @param skipped true for what is never copied
   */
  record Problem<S>(String path, boolean skipped, ErrorCode code, String message)
      implements SenderAction<S> {
    @Override
    public void carryOut(Executor<S> executor) {
      executor.problem(path, skipped, code, message);
    }
  }

  /** Close a stream that is stuck while others are not. */
  record CloseStream<S>(int stream) implements SenderAction<S> {
    @Override
    public void carryOut(Executor<S> executor) {
      executor.closeStream(stream);
    }
  }

  /**
   * Send an idle frame on a stream, if it is free: address translators forget connections that are
   * silent for long. {@link SenderEvent.Handler#keptOpen} follows when it was sent.
   */
  record KeepOpen<S>(int stream) implements SenderAction<S> {
    @Override
    public void carryOut(Executor<S> executor) {
      executor.keepOpen(stream);
    }
  }

  /** Every entry has its outcome, and both ends know. */
  record Complete<S>() implements SenderAction<S> {
    @Override
    public void carryOut(Executor<S> executor) {
      executor.complete();
    }
  }

  /** The session cannot go on. */
  record Fail<S>(FdtException cause) implements SenderAction<S> {
    @Override
    public void carryOut(Executor<S> executor) {
      executor.fail(cause);
    }
  }
}
