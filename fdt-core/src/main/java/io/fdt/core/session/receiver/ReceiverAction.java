package io.fdt.core.session.receiver;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Entry;
import io.fdt.core.model.Range;
import io.fdt.core.model.Root;
import io.fdt.core.wire.ReceivedFrame;
import io.fdt.core.wire.control.Control;
import java.util.List;
import java.util.function.Supplier;

/**
 * An action requested by a {@link ReceiverMachine}. The named event answers disk operations.
 *
 * @param <F> the writer of a file
 */
public sealed interface ReceiverAction<F> {
  /** Calls the executor's method for this action. */
  void carryOut(Executor<F> executor);

  /** Carries out actions: one method for each. */
  interface Executor<F> {
    void send(Control.Builder message);

    void releaseFrame(ReceivedFrame frame);

    void writeBlock(WriteBlock<F> action);

    void writePack(WritePack<F> action);

    void openDestination(List<Root> roots);

    void place(List<Entry> entries);

    void makeHoles(MakeHoles<F> action);

    void hashKept(HashKept<F> action);

    void matchBase(MatchBase<F> action);

    void searchBase(SearchBase<F> action);

    void publish(IncomingFile<F> file);

    void makeLink(IncomingFile<F> file);

    void readDigest(ReadDigest<F> action);

    void endComparison(EndComparison<F> action);

    void stopReading(IncomingFile<F> file);

    void release(Release<F> action);

    void finishDirectory(Entry directory);

    void finishDestination();

    void delete(long failures);

    void wakeAfter(long nanos);

    void fileDone(IncomingFile<F> file);

    void fileSettled(IncomingFile<F> file);

    void fileUnchanged(IncomingFile<F> file, boolean isNewer);

    void fileDue(IncomingFile<F> file);

    void fileFailed(IncomingFile<F> file, FdtException cause);

    void problem(Supplier<String> path, boolean skipped, ErrorCode code, String message);

    void notice(String message);

    void complete();

    void fail(FdtException cause);
  }

  /** Send a message to the sender, in order. */
  record Send<F>(Control.Builder message) implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.send(message);
    }
  }

  /** Release a frame that is not needed. */
  record ReleaseFrame<F>(ReceivedFrame frame) implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.releaseFrame(frame);
    }
  }

  /** Write a block and release its frame: {@link ReceiverEvent.Handler#blockWritten}. */
  record WriteBlock<F>(IncomingFile<F> file, int stream, ReceivedFrame frame)
      implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.writeBlock(this);
    }
  }

  /**
   * Write small files, give them their names and release the frame: {@link
   * ReceiverEvent.FilesStored} for each disk, then {@link ReceiverEvent.Handler#packWritten}.
   */
  record WritePack<F>(List<PackedFile<F>> files, int stream, ReceivedFrame frame)
      implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.writePack(this);
    }
  }

  /** Open or create the destination. A failure ends the session. */
  record OpenDestination<F>(List<Root> roots) implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.openDestination(roots);
    }
  }

  /** Find the places of entries: {@link ReceiverEvent.Handler#entriesPlaced}. */
  record Place<F>(List<Entry> entries) implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.place(entries);
    }
  }

  /** Make holes in a file: {@link ReceiverEvent.Handler#holesMade}. */
  record MakeHoles<F>(IncomingFile<F> file, List<Range> holes) implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.makeHoles(this);
    }
  }

  /**
   * Compute the hashes of ranges that the sender does not send: {@link
   * ReceiverEvent.Handler#keptHashed}.
   *
   * @param areHoles whether the ranges hold only zeros; otherwise they are read
   */
  record HashKept<F>(IncomingFile<F> file, List<Range> ranges, boolean areHoles)
      implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.hashKept(this);
    }
  }

  /**
   * Compare pieces of a file with its base: {@link ReceiverEvent.Handler#baseMatched}.
   *
   * @param hashes of the pieces at the sender
   */
  record MatchBase<F>(IncomingFile<F> file, HashedPieces hashes) implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.matchBase(this);
    }
  }

  /**
   * Search the base of a file for small pieces at any offset: {@link
   * ReceiverEvent.Handler#baseSearched}.
   *
   * @param centre offset in the base where the search begins
   * @param reach bytes of the base to search
   */
  record SearchBase<F>(IncomingFile<F> file, List<HashedPieces> pieces, long centre, long reach)
      implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.searchBase(this);
    }
  }

  /** Give a complete file its final name: {@link ReceiverEvent.Handler#published}. */
  record Publish<F>(IncomingFile<F> file) implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.publish(file);
    }
  }

  /** Make a file another name of its first one: {@link ReceiverEvent.Handler#linked}. */
  record MakeLink<F>(IncomingFile<F> file) implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.makeLink(file);
    }
  }

  /** Compute the digest of the existing file: {@link ReceiverEvent.Handler#digestRead}. */
  record ReadDigest<F>(IncomingFile<F> file, PlacedEntry.Compare<F> there)
      implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.readDigest(this);
    }
  }

  /**
   * With both digests known, keep an equal file, or determine the needed ranges of a different one:
   * {@link ReceiverEvent.ComparisonEnded}.
   */
  record EndComparison<F>(IncomingFile<F> file, PlacedEntry.Compare<F> there, boolean areSame)
      implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.endComparison(this);
    }
  }

  /** Stop reading a file for a comparison. Its event still follows. */
  record StopReading<F>(IncomingFile<F> file) implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.stopReading(file);
    }
  }

  /**
   * Close a file that failed: {@link ReceiverEvent.Handler#released}.
   *
   * @param discard whether the partial file is useless for a later transfer
   */
  record Release<F>(IncomingFile<F> file, boolean discard) implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.release(this);
    }
  }

  /** Set mode and time of a directory: {@link ReceiverEvent.Handler#directoryFinished}. */
  record FinishDirectory<F>(Entry directory) implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.finishDirectory(directory);
    }
  }

  /** Every entry has its outcome: {@link ReceiverEvent.Handler#destinationFinished}. */
  record FinishDestination<F>() implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.finishDestination();
    }
  }

  /**
   * Delete what the source lacks: {@link ReceiverEvent.Handler#deletionEnded}.
   *
   * @param failures failed entries
   */
  record Delete<F>(long failures) implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.delete(failures);
    }
  }

  /** Call {@link ReceiverEvent.Handler#woken} after a time. */
  record WakeAfter<F>(long nanos) implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.wakeAfter(nanos);
    }
  }

  /** Tell the user: a file is in place and verified. */
  record FileDone<F>(IncomingFile<F> file) implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.fileDone(file);
    }
  }

  /** Report the outcome of a file that may be the first name of others. */
  record FileSettled<F>(IncomingFile<F> file) implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.fileSettled(file);
    }
  }

  /** Tell the user: a file was unchanged. */
  record FileUnchanged<F>(IncomingFile<F> file, boolean isNewer) implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.fileUnchanged(file, isNewer);
    }
  }

  /** Tell the user: a dry run would transfer this file. */
  record FileDue<F>(IncomingFile<F> file) implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.fileDue(file);
    }
  }

  /** Tell the user: a file has failed. */
  record FileFailed<F>(IncomingFile<F> file, FdtException cause) implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.fileFailed(file, cause);
    }
  }

  /**
   * Tell the user: another entry has failed, was skipped, or is incomplete.
   *
   * @param skipped true for kinds that are never copied
   */
  record Problem<F>(Supplier<String> path, boolean skipped, ErrorCode code, String message)
      implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.problem(path, skipped, code, message);
    }
  }

  /** Tell the user something other than a failure. */
  record Notice<F>(String message) implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.notice(message);
    }
  }

  /** Complete the session: the sender has the last message. */
  record Complete<F>() implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.complete();
    }
  }

  /** Fail the session, which cannot continue. */
  record Fail<F>(FdtException cause) implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.fail(cause);
    }
  }
}
