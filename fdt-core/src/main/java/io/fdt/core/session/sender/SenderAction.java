package io.fdt.core.session.sender;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.wire.control.Control;

/**
 * An action requested by a {@link SenderMachine}.
 *
 * @param <S> the opener of a file
 */
public sealed interface SenderAction<S> {
  /** Calls the executor's method for this action. */
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

  /** Close a file that readers have open; it will be read from its start again, or not at all. */
  record CloseFile<S>(OutgoingFile<S> file) implements SenderAction<S> {
    @Override
    public void carryOut(Executor<S> executor) {
      executor.closeFile(file);
    }
  }

  /** Release this weight in the window of the walk, after the outcome of entries. */
  record ReleaseWindow<S>(int weight) implements SenderAction<S> {
    @Override
    public void carryOut(Executor<S> executor) {
      executor.releaseWindow(weight);
    }
  }

  /**
   * The outcome of a file is known: release it and report it.
   *
   * @param code null unless the file failed
   */
  record FileSettled<S>(OutgoingFile<S> file, FileOutcome outcome, ErrorCode code, String message)
      implements SenderAction<S> {
    @Override
    public void carryOut(Executor<S> executor) {
      executor.fileSettled(this);
    }
  }

  /**
   * Tell the user: an entry has failed, was skipped, or is incomplete.
   *
   * @param path empty when the message names it
   * @param skipped true for kinds that are never copied
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
   * Send an idle frame on a stream, if it is free: NATs drop connections after a long silence.
   * {@link SenderEvent.Handler#keptOpen} follows when it was sent.
   */
  record KeepOpen<S>(int stream) implements SenderAction<S> {
    @Override
    public void carryOut(Executor<S> executor) {
      executor.keepOpen(stream);
    }
  }

  /** Complete the session: both ends know the outcome of every entry. */
  record Complete<S>() implements SenderAction<S> {
    @Override
    public void carryOut(Executor<S> executor) {
      executor.complete();
    }
  }

  /** Fail the session, which cannot continue. */
  record Fail<S>(FdtException cause) implements SenderAction<S> {
    @Override
    public void carryOut(Executor<S> executor) {
      executor.fail(cause);
    }
  }
}
