package io.fdt.core.session;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.Range;
import io.fdt.core.model.Root;
import io.fdt.core.wire.control.Control;
import java.util.List;

/**
 * Something that has happened to a {@link SenderMachine}: a message, what the walk found, work that
 * a disk has done, a stream, or time that has passed.
 *
 * @param <S> what opens a file
 */
public sealed interface SenderEvent<S> {
  /** A message of the receiver about the dataset. */
  record Message<S>(Control control) implements SenderEvent<S> {}

  /** The walk knows the roots. */
  record RootsFound<S>(List<Root> roots) implements SenderEvent<S> {}

  /** The walk has found more of the dataset. */
  record EntriesFound<S>(ManifestPart<S> part) implements SenderEvent<S> {}

  /**
   * The walk is over.
   *
   * @param failure null unless it broke off
   */
  record WalkEnded<S>(FdtException failure) implements SenderEvent<S> {}

  /**
   * {@link SenderAction.Read} is done.
   *
   * @param job what was read: without files that failed; of a stream with the length that there was
   * @param queue where the job came from
   * @param crc of the payload
   * @param hashes of the chunks of a block that was read for the first time, when the digest is
   *     made of them; else empty
   * @param failures files that could not be read, or have changed
   */
  record JobRead<S>(
      ReadJob<S> job, int queue, int crc, byte[] hashes, List<ReadFailure<S>> failures)
      implements SenderEvent<S> {}

  /**
   * A file that is read has changed, and is copied all the same; before {@link JobRead}.
   *
   * @param how one line with its path
   */
  record FileChanged<S>(OutgoingFile<S> file, String how) implements SenderEvent<S> {}

  /** {@link SenderAction.Read} of a block was given up before anything of it was read. */
  record JobReturned<S>(ReadJob.Block<S> job, int queue) implements SenderEvent<S> {}

  /** It is known where a sparse file has holes: {@link SenderAction.Read} of a survey. */
  record Surveyed<S>(OutgoingFile<S> file, int queue, List<Range> holes, FdtException failure)
      implements SenderEvent<S> {}

  /** So many jobs may be given to each disk at once from now on; none before this. */
  record JobsAllowed<S>(int perDisk) implements SenderEvent<S> {}

  /**
   * A stream was opened.
   *
   * @param atNode whether a data node has it: then its frames may be acknowledged before it is
   *     known here that they were sent
   */
  record StreamOpened<S>(int stream, boolean atNode) implements SenderEvent<S> {}

  /** A frame with this job goes out on a stream, as its frame of this number. */
  record FrameSent<S>(int stream, long number, ReadJob<S> job) implements SenderEvent<S> {}

  /** A stream was given a piece of a frame. */
  record StreamMoved<S>(int stream) implements SenderEvent<S> {}

  /** {@link SenderAction.KeepOpen} is done. */
  record KeptOpen<S>(int stream) implements SenderEvent<S> {}

  /** A stream is gone, and what was on it. */
  record StreamLost<S>(int stream) implements SenderEvent<S> {}

  /** Some time has passed; comes several times a second. */
  record Tick<S>() implements SenderEvent<S> {}

  /** A file that could not be read, or has changed. */
  record ReadFailure<S>(OutgoingFile<S> file, FdtException cause) {}
}
