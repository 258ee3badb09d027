package io.fdt.core.session.sender;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.Range;
import io.fdt.core.model.Root;
import io.fdt.core.wire.control.Control;
import java.util.List;

/**
 * An event for a {@link SenderMachine}: a message, a result of the walk, a completed disk
 * operation, a change of a stream, or the passing of time.
 *
 * @param <S> the opener of a file
 */
@FunctionalInterface
public interface SenderEvent<S> {
  /** Calls the handler's method for this event. */
  void happenTo(Handler<S> handler) throws FdtException;

  /** Handles events: one method for each. */
  interface Handler<S> {
    /** A message of the receiver about the dataset. */
    void message(Control control) throws FdtException;

    /**
     * The walk has found the roots.
     *
     * @param losses as in {@link io.fdt.core.storage.SourceTree#losses}
     */
    void rootsFound(List<Root> roots, String losses);

    /** The walk has found further entries. */
    void entriesFound(ManifestPart<S> part);

    /**
     * The walk has ended.
     *
     * @param failure null if it is complete
     */
    void walkEnded(FdtException failure);

    /**
     * {@link SenderAction.Read} is done.
     *
     * @param job the job without files that failed; for a stream, with the length read
     * @param queue the queue of the job
     * @param crc of the payload
     * @param hashes of the chunks of a block read for the first time; empty for repetitions and
     *     when the digest does not use chunks
     * @param failures files that could not be read, or have changed
     */
    void jobRead(ReadJob<S> job, int queue, int crc, byte[] hashes, List<ReadFailure<S>> failures);

    /**
     * A file has changed during reading, and is still copied; before {@link #jobRead}.
     *
     * @param how one line with its path
     */
    void fileChanged(OutgoingFile<S> file, String how);

    /** {@link SenderAction.Read} of a block was returned unread. */
    void jobReturned(ReadJob.Block<S> job, int queue);

    /** The holes of a sparse file are known: {@link SenderAction.Read} of a survey is done. */
    void surveyed(OutgoingFile<S> file, int queue, List<Range> holes, FdtException failure);

    /** Sets how many jobs each disk may have at once; 0 before the first call. */
    void jobsAllowed(int perDisk);

    /**
     * A stream was opened.
     *
     * @param atNode whether a data node has it: then frames may be acknowledged before the node
     *     reports them as sent
     */
    void streamOpened(int stream, boolean atNode);

    /** A frame with this job was sent on a stream, under this number. */
    void frameSent(int stream, long number, ReadJob<S> job);

    /** A piece of a frame was sent on a stream. */
    void streamMoved(int stream);

    /** {@link SenderAction.KeepOpen} is done. */
    void keptOpen(int stream);

    /** A stream was lost, with its frames. */
    void streamLost(int stream);

    /** Time has passed; called several times a second. */
    void tick();
  }

  /** A file that could not be read, or has changed. */
  record ReadFailure<S>(OutgoingFile<S> file, FdtException cause) {}
}
