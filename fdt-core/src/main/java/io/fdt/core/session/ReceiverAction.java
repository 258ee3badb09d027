package io.fdt.core.session;

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
  /** Send a message to the sender, in order. */
  record Send<F>(Control.Builder message) implements ReceiverAction<F> {}

  /** Release a frame of which nothing is needed. */
  record ReleaseFrame<F>(ReceivedFrame frame) implements ReceiverAction<F> {}

  /** Write a block and release its frame: {@link ReceiverEvent.BlockWritten}. */
  record WriteBlock<F>(IncomingFile<F> file, int stream, ReceivedFrame frame)
      implements ReceiverAction<F> {}

  /**
   * Write small files, give them their names and release the frame: {@link
   * ReceiverEvent.FilesStored} for each disk, then {@link ReceiverEvent.PackWritten}.
   */
  record WritePack<F>(List<PackedFile<F>> files, int stream, ReceivedFrame frame)
      implements ReceiverAction<F> {}

  /** Find or make the destination. A failure ends the session. */
  record OpenDestination<F>(List<Root> roots) implements ReceiverAction<F> {}

  /** Find the places of entries: {@link ReceiverEvent.EntriesPlaced}. */
  record Place<F>(List<Entry> entries) implements ReceiverAction<F> {}

  /** Make holes in a file: {@link ReceiverEvent.HolesMade}. */
  record MakeHoles<F>(IncomingFile<F> file, List<Range> holes) implements ReceiverAction<F> {}

  /**
   * Make the hashes of ranges that the sender does not send: {@link ReceiverEvent.KeptHashed}.
   *
   * @param areHoles whether they hold only zeros; otherwise they are read
   */
  record HashKept<F>(IncomingFile<F> file, List<Range> ranges, boolean areHoles)
      implements ReceiverAction<F> {}

  /** Give a complete file its final name: {@link ReceiverEvent.Published}. */
  record Publish<F>(IncomingFile<F> file) implements ReceiverAction<F> {}

  /** Make a file another name of its first one: {@link ReceiverEvent.Linked}. */
  record MakeLink<F>(IncomingFile<F> file) implements ReceiverAction<F> {}

  /** Make the digest of the file that is there: {@link ReceiverEvent.DigestRead}. */
  record ReadDigest<F>(IncomingFile<F> file, PlacedEntry.Compare<F> there)
      implements ReceiverAction<F> {}

  /**
   * Both digests are known: keep what is the same, find out what is needed of what differs: {@link
   * ReceiverEvent.ComparisonEnded}.
   */
  record EndComparison<F>(IncomingFile<F> file, PlacedEntry.Compare<F> there, boolean areSame)
      implements ReceiverAction<F> {}

  /** Stop reading a file that is compared, soon. Its event still comes. */
  record StopReading<F>(IncomingFile<F> file) implements ReceiverAction<F> {}

  /**
   * Close a file that failed: {@link ReceiverEvent.Released}.
   *
   * @param discard whether what was written is of no use to a later transfer
   */
  record Release<F>(IncomingFile<F> file, boolean discard) implements ReceiverAction<F> {}

  /** Set mode and time of a directory: {@link ReceiverEvent.DirectoryFinished}. */
  record FinishDirectory<F>(Entry directory) implements ReceiverAction<F> {}

  /** Every entry has its outcome: {@link ReceiverEvent.DestinationFinished}. */
  record FinishDestination<F>() implements ReceiverAction<F> {}

  /**
   * Delete what the source lacks: {@link ReceiverEvent.DeletionEnded}.
   *
   * @param failures entries that did not arrive
   */
  record Delete<F>(long failures) implements ReceiverAction<F> {}

  /** Come back with {@link ReceiverEvent.Woken}. */
  record WakeAfter<F>(long nanos) implements ReceiverAction<F> {}

  /** Tell the user: a file is in place and verified. */
  record FileDone<F>(IncomingFile<F> file) implements ReceiverAction<F> {}

  /** The outcome of a file that may be the first name of others is known. */
  record FileSettled<F>(IncomingFile<F> file) implements ReceiverAction<F> {}

  /** Tell the user: a file was there already. */
  record FileUnchanged<F>(IncomingFile<F> file) implements ReceiverAction<F> {}

  /** Tell the user: a dry run would move this file. */
  record FileDue<F>(IncomingFile<F> file) implements ReceiverAction<F> {}

  /** Tell the user: a file will not arrive. */
  record FileFailed<F>(IncomingFile<F> file, FdtException cause) implements ReceiverAction<F> {}

  /**
   * Tell the user: something else will not arrive, or not whole.
   *
   * @param skipped true for what is never copied
   */
  record Problem<F>(Supplier<String> path, boolean skipped, ErrorCode code, String message)
      implements ReceiverAction<F> {}

  /** Tell the user something that is no failure. */
  record Notice<F>(String message) implements ReceiverAction<F> {}

  /** Everything is done, and the sender has been told. */
  record Complete<F>() implements ReceiverAction<F> {}

  /** The session cannot go on. */
  record Fail<F>(FdtException cause) implements ReceiverAction<F> {}
}
