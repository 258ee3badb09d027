package io.fdt.core.session.sender;

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
@FunctionalInterface
public interface SenderEvent<S> {
  /** Calls the one method of a handler that is for this event. */
  void happenTo(Handler<S> handler) throws FdtException;

  /** Handles events: one method for each. */
  interface Handler<S> {
    /** A message of the receiver about the dataset. */
    void message(Control control) throws FdtException;

    /** The walk knows the roots. */
    void rootsFound(List<Root> roots);

    /** The walk has found more of the dataset. */
    void entriesFound(ManifestPart<S> part);

    /**
     * The walk is over.
     *
     * @param failure null unless it broke off
     */
    void walkEnded(FdtException failure);

    /**
     * {@link SenderAction.Read} is done.
     *
     * @param job what was read: without files that failed; of a stream with the length that there
     *     was
     * @param queue where the job came from
     * @param crc of the payload
     * @param hashes of the chunks of a block that was read for the first time, when the digest is
     *     made of them; else empty
     * @param failures files that could not be read, or have changed
     */
    void jobRead(ReadJob<S> job, int queue, int crc, byte[] hashes, List<ReadFailure<S>> failures);

    /**
     * A file that is read has changed, and is copied all the same; before {@link #jobRead}.
     *
     * @param how one line with its path
     */
    void fileChanged(OutgoingFile<S> file, String how);

    /** {@link SenderAction.Read} of a block was given up before anything of it was read. */
    void jobReturned(ReadJob.Block<S> job, int queue);

    /** It is known where a sparse file has holes: {@link SenderAction.Read} of a survey. */
    void surveyed(OutgoingFile<S> file, int queue, List<Range> holes, FdtException failure);

    /** Sets how many jobs each disk may have at once; 0 before this. */
    void jobsAllowed(int perDisk);

    /**
     * A stream was opened.
     *
     * @param atNode whether a data node has it: then its frames may be acknowledged before it is
     *     known here that they were sent
     */
    void streamOpened(int stream, boolean atNode);

    /** A frame with this job goes out on a stream, as its frame of this number. */
    void frameSent(int stream, long number, ReadJob<S> job);

    /** A stream was given a piece of a frame. */
    void streamMoved(int stream);

    /** {@link SenderAction.KeepOpen} is done. */
    void keptOpen(int stream);

    /** A stream is gone, and what was on it. */
    void streamLost(int stream);

    /** Some time has passed; comes several times a second. */
    void tick();
  }

  /** A file that could not be read, or has changed. */
  record ReadFailure<S>(OutgoingFile<S> file, FdtException cause) {}
}
