package io.fdt.core.session.receiver;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.Entry;
import io.fdt.core.model.Range;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.ReceivedFrame;
import io.fdt.core.wire.control.Control;
import java.util.List;
import java.util.OptionalLong;

/**
 * An event for a {@link ReceiverMachine}: a message, a frame, a completed disk operation, or the
 * passing of time. A failure is null after success.
 *
 * @param <F> the writer of a file
 */
@FunctionalInterface
public interface ReceiverEvent<F> {
  /** Calls the handler's method for this event. */
  void happenTo(Handler<F> handler) throws FdtException;

  /** Handles events: one method for each. */
  interface Handler<F> {
    /** A message of the sender about the dataset. */
    void message(Control control) throws FdtException;

    /**
     * A frame has arrived, intact or damaged. The machine takes it over, unless it throws; exactly
     * one action releases it.
     */
    void frameArrived(int stream, ReceivedFrame frame) throws FdtException;

    /** Entries have their place, in the order of the manifest: {@link ReceiverAction.Place}. */
    void entriesPlaced(List<PlacedEntry<F>> entries);

    /**
     * A block is written: {@link ReceiverAction.WriteBlock}.
     *
     * @param hashes of its chunks; empty when the digest does not use chunks
     */
    void blockWritten(
        IncomingFile<F> file, int stream, FrameHeader header, byte[] hashes, FdtException failure);

    /** A block was lost with its data node before it was written. */
    void blockLost(IncomingFile<F> file, int stream, FrameHeader header);

    /** Files of a pack have their names, or failed: {@link ReceiverAction.WritePack}. */
    void filesStored(List<PackedFile<F>> files);

    /** All files of a pack have an outcome: {@link ReceiverAction.WritePack}. */
    void packWritten(int stream, long number);

    /** {@link ReceiverAction.MakeHoles} is done. */
    void holesMade(IncomingFile<F> file, List<Range> holes, FdtException failure);

    /** A piece of the ranges of {@link ReceiverAction.HashKept} was hashed. */
    void rangeHashed(IncomingFile<F> file, long offset, byte[] hashes);

    /** {@link ReceiverAction.HashKept} is done. */
    void keptHashed(IncomingFile<F> file, FdtException failure);

    /**
     * {@link ReceiverAction.MatchBase} is done.
     *
     * @param equal ranges with equal hashes; if these are strong, the ranges are written
     * @param nanos the time that reading and comparing took
     * @param failure of writing; a base that cannot be read has no equal ranges
     */
    void baseMatched(
        IncomingFile<F> file,
        HashedPieces hashes,
        List<FoundRange> equal,
        long nanos,
        FdtException failure)
        throws FdtException;

    /**
     * {@link ReceiverAction.SearchBase} is done.
     *
     * @param shift how far some of the pieces have moved; empty when none was found
     * @param searched bytes of the base that were searched
     */
    void baseSearched(IncomingFile<F> file, OptionalLong shift, long searched) throws FdtException;

    /**
     * {@link ReceiverAction.MakeLink} is done.
     *
     * @param digest of the first name
     */
    void linked(IncomingFile<F> file, byte[] digest, FdtException failure);

    /**
     * {@link ReceiverAction.Publish} is done.
     *
     * @param warnings attributes that could not be set
     */
    void published(IncomingFile<F> file, List<FdtException> warnings, FdtException failure);

    /**
     * {@link ReceiverAction.ReadDigest} is done.
     *
     * @param digest null when the file cannot be read: then it counts as different
     */
    void digestRead(IncomingFile<F> file, byte[] digest);

    /**
     * {@link ReceiverAction.EndComparison} is done.
     *
     * @param outcome the outcome of the file, and warnings about it
     */
    void comparisonEnded(IncomingFile<F> file, List<PlacedEntry<F>> outcome);

    /** {@link ReceiverAction.Release} is done. */
    void released(IncomingFile<F> file);

    /** {@link ReceiverAction.FinishDirectory} is done. */
    void directoryFinished(Entry directory, FdtException failure);

    /**
     * {@link ReceiverAction.FinishDestination} is done.
     *
     * @param differs whether a dry run would change the mode or time of the destination itself
     */
    void destinationFinished(FdtException failure, boolean differs);

    /** {@link ReceiverAction.Delete} is done. */
    void deletionEnded();

    /** The time of {@link ReceiverAction.WakeAfter} has passed. */
    void woken();
  }
}
