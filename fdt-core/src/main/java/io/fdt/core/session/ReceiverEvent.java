package io.fdt.core.session;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.Entry;
import io.fdt.core.model.Range;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.ReceivedFrame;
import io.fdt.core.wire.control.Control;
import java.util.List;

/**
 * Something that has happened to a {@link ReceiverMachine}: a message, a frame, work that a disk
 * has done, or time that has passed. A failure is null when the work succeeded.
 *
 * @param <F> what writes a file
 */
public sealed interface ReceiverEvent<F> {
  /** A message of the sender about the dataset. */
  record Message<F>(Control control) implements ReceiverEvent<F> {}

  /**
   * A frame has come, intact or not. The machine takes it over, unless it throws; exactly one
   * action gives it back.
   */
  record FrameArrived<F>(int stream, ReceivedFrame frame) implements ReceiverEvent<F> {}

  /** Entries have their place, in the order of the manifest: {@link ReceiverAction.Place}. */
  record EntriesPlaced<F>(List<PlacedEntry<F>> entries) implements ReceiverEvent<F> {}

  /**
   * A block is written: {@link ReceiverAction.WriteBlock}.
   *
   * @param hashes of its chunks; empty when the digest is not made of them
   */
  record BlockWritten<F>(
      IncomingFile<F> file, int stream, FrameHeader header, byte[] hashes, FdtException failure)
      implements ReceiverEvent<F> {}

  /** A block was lost before it was written: the data node that held it is gone. */
  record BlockLost<F>(IncomingFile<F> file, int stream, FrameHeader header)
      implements ReceiverEvent<F> {}

  /** Files of a pack have their names, or failed: {@link ReceiverAction.WritePack}. */
  record FilesStored<F>(List<PackedFile<F>> files) implements ReceiverEvent<F> {}

  /** All files of a pack are dealt with: {@link ReceiverAction.WritePack}. */
  record PackWritten<F>(int stream, long number) implements ReceiverEvent<F> {}

  /** {@link ReceiverAction.MakeHoles} is done. */
  record HolesMade<F>(IncomingFile<F> file, List<Range> holes, FdtException failure)
      implements ReceiverEvent<F> {}

  /** A piece of what {@link ReceiverAction.HashKept} asked for was read. */
  record RangeHashed<F>(IncomingFile<F> file, long offset, byte[] hashes)
      implements ReceiverEvent<F> {}

  /** {@link ReceiverAction.HashKept} is done. */
  record KeptHashed<F>(IncomingFile<F> file, FdtException failure) implements ReceiverEvent<F> {}

  /**
   * {@link ReceiverAction.MakeLink} is done.
   *
   * @param digest of the first name
   */
  record Linked<F>(IncomingFile<F> file, byte[] digest, FdtException failure)
      implements ReceiverEvent<F> {}

  /**
   * {@link ReceiverAction.Publish} is done.
   *
   * @param warnings what could not be set of a file that is in place
   */
  record Published<F>(IncomingFile<F> file, List<FdtException> warnings, FdtException failure)
      implements ReceiverEvent<F> {}

  /**
   * {@link ReceiverAction.ReadDigest} is done.
   *
   * @param digest null when it cannot be made: then the files are not the same
   */
  record DigestRead<F>(IncomingFile<F> file, byte[] digest) implements ReceiverEvent<F> {}

  /**
   * {@link ReceiverAction.EndComparison} is done.
   *
   * @param outcome what came of the file, and warnings about it
   */
  record ComparisonEnded<F>(IncomingFile<F> file, List<PlacedEntry<F>> outcome)
      implements ReceiverEvent<F> {}

  /** {@link ReceiverAction.Release} is done. */
  record Released<F>(IncomingFile<F> file) implements ReceiverEvent<F> {}

  /** {@link ReceiverAction.FinishDirectory} is done. */
  record DirectoryFinished<F>(Entry directory, FdtException failure) implements ReceiverEvent<F> {}

  /**
   * {@link ReceiverAction.FinishDestination} is done.
   *
   * @param differs whether a dry run would change the mode or time of the destination itself
   */
  record DestinationFinished<F>(FdtException failure, boolean differs)
      implements ReceiverEvent<F> {}

  /** {@link ReceiverAction.Delete} is done. */
  record DeletionEnded<F>() implements ReceiverEvent<F> {}

  /** The time has come that {@link ReceiverAction.WakeAfter} asked for. */
  record Woken<F>() implements ReceiverEvent<F> {}
}
