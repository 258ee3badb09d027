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
 * Something that a {@link ReceiverMachine} wants done. Work for disks is answered by the event that
 * is named.
 *
 * @param <F> what writes a file
 */
public sealed interface ReceiverAction<F> {
  /** Calls the one method of an executor that is for this action. */
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

    void fileUnchanged(IncomingFile<F> file);

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

  /** Release a frame of which nothing is needed. */
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

  /** Find or make the destination. A failure ends the session. */
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
   * Make the hashes of ranges that the sender does not send: {@link
   * ReceiverEvent.Handler#keptHashed}.
   *
   * @param areHoles whether they hold only zeros; otherwise they are read
   */
  record HashKept<F>(IncomingFile<F> file, List<Range> ranges, boolean areHoles)
      implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.hashKept(this);
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

  /** Make the digest of the file that is there: {@link ReceiverEvent.Handler#digestRead}. */
  record ReadDigest<F>(IncomingFile<F> file, PlacedEntry.Compare<F> there)
      implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.readDigest(this);
    }
  }

  /**
   * Both digests are known: keep what is the same, find out what is needed of what differs: {@link
   * ReceiverEvent.ComparisonEnded}.
   */
  record EndComparison<F>(IncomingFile<F> file, PlacedEntry.Compare<F> there, boolean areSame)
      implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.endComparison(this);
    }
  }

  /** Stop reading a file that is compared, soon. Its event still comes. */
  record StopReading<F>(IncomingFile<F> file) implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.stopReading(file);
    }
  }

  /**
   * Close a file that failed: {@link ReceiverEvent.Handler#released}.
   *
   * @param discard whether what was written is of no use to a later transfer
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
   * @param failures entries that did not arrive
   */
  record Delete<F>(long failures) implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.delete(failures);
    }
  }

  /** Come back with {@link ReceiverEvent.Handler#woken}. */
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

  /** The outcome of a file that may be the first name of others is known. */
  record FileSettled<F>(IncomingFile<F> file) implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.fileSettled(file);
    }
  }

  /** Tell the user: a file was there already. */
  record FileUnchanged<F>(IncomingFile<F> file) implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.fileUnchanged(file);
    }
  }

  /** Tell the user: a dry run would move this file. */
  record FileDue<F>(IncomingFile<F> file) implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.fileDue(file);
    }
  }

  /** Tell the user: a file will not arrive. */
  record FileFailed<F>(IncomingFile<F> file, FdtException cause) implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.fileFailed(file, cause);
    }
  }

  /**
   * Tell the user: something else will not arrive, or not whole.
   *
   * @param skipped true for what is never copied
   */
  record Problem<F>(Supplier<String> path, boolean skipped, ErrorCode code, String message)
      implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.problem(path, skipped, code, message);
    }
  }

  /** Tell the user something that is no failure. */
  record Notice<F>(String message) implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.notice(message);
    }
  }

  /** Everything is done, and the sender has the last message. */
  record Complete<F>() implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.complete();
    }
  }

  /** The session cannot go on. */
  record Fail<F>(FdtException cause) implements ReceiverAction<F> {
    @Override
    public void carryOut(Executor<F> executor) {
      executor.fail(cause);
    }
  }
}
