package io.fdt.core.spec;

import io.fdt.core.digest.DigestMethod;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Changing;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.Compression;
import io.fdt.core.model.FilePart;
import io.fdt.core.model.Operand;
import io.fdt.core.model.Preservation;
import io.fdt.core.model.Selection;
import io.fdt.core.model.SyncRule;
import io.fdt.core.model.Tuning;
import io.fdt.core.unit.RateSchedule;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The options of a transfer: the one value that command, library, wire and machines share.
 * Immutable; equal when every option is equal. Each option is checked here and nowhere else.
 *
 * <p>A spec says neither which end has the data nor where the ends are. {@link TransferSpecCoding}
 * turns it into bytes and back.
 *
 * @param sources paths at the sender; empty at the receiver
 * @param destination path at the receiver; empty at the sender
 * @param destinationIsDirectory whether the destination is a directory even if it does not exist
 *     yet
 * @param recursive whether directories are copied with their contents; otherwise they are refused
 * @param selection which files beneath the sources are transferred
 * @param part the part of the one source; {@link FilePart#WHOLE} for all of it. Receivers know it
 *     only if it is a range of a cut
 * @param changing what becomes of a file that changes while it is transferred
 * @param sync which files stay as they are at the destination
 * @param dryRun whether to report what would be transferred, and change nothing
 * @param delete whether to remove at the destination what the source lacks, after everything is
 *     copied
 * @param maxDelete names to remove at most, 0 or more; with more, nothing is removed
 * @param deleteFromEmpty whether names are removed even if a source directory is empty
 * @param backups where overwritten and deleted files go, relative to the destination; empty: they
 *     are not kept. At most 4,096 bytes
 * @param preservation which metadata is preserved besides names and bytes
 * @param assurance how contents are verified and made durable
 * @param streams parallel data connections, 1 to 128
 * @param streamsChosen whether the user chose this number; otherwise a long path may begin with
 *     more
 * @param tuning parameters that the sender auto-tunes
 * @param readersPerDisk threads that read each disk of the source, 1 to 64
 * @param writersPerDisk threads that write each disk of the destination, 1 to 64
 * @param blockSize bytes of one block, at most 64 MiB; options allow no less than 4 KiB
 * @param socketBuffer bytes of each data socket's buffers, at most 1 GiB; 0 leaves them to the
 *     operating system
 * @param rateLimit upper bound of the rate of all streams together, in local time
 * @param compression how the sender compresses payloads
 */
public record TransferSpec(
    List<Operand> sources,
    BytePath destination,
    boolean destinationIsDirectory,
    boolean recursive,
    Selection selection,
    FilePart part,
    Changing changing,
    SyncRule sync,
    boolean dryRun,
    boolean delete,
    long maxDelete,
    boolean deleteFromEmpty,
    Optional<BytePath> backups,
    Preservation preservation,
    Assurance assurance,
    int streams,
    boolean streamsChosen,
    Tuning tuning,
    int readersPerDisk,
    int writersPerDisk,
    int blockSize,
    int socketBuffer,
    RateSchedule rateLimit,
    Compression compression) {

  /** Smallest block that an option or a peer may ask for, in bytes. */
  public static final int MIN_BLOCK = 4 << 10;

  /** Most bytes of one block. */
  public static final int MAX_BLOCK = 64 << 20;

  /** Most data streams of one session. */
  public static final int MAX_STREAMS = 128;

  /** Streams opened when the sender tunes their number. */
  public static final int TUNED_STREAMS = 32;

  /** Most threads for one disk of one session. */
  public static final int MAX_THREADS_PER_DISK = 64;

  /** Memory for the names that a deletion remembers. */
  public static final long DELETION_NAMES_BYTES = 32 << 20;

  /** Most paths in one request: a list of this many is 1 GB of memory at the very most. */
  private static final int MAX_SOURCES = 100_000;

  private static final int MAX_SOCKET_BUFFER = 1 << 30;

  /** Bytes: what Linux takes as a path (PATH_MAX). */
  private static final int MAX_BACKUP_PATH = 4096;

  /**
   * Fewest blocks that one end may hold in memory, so that disks and network work at the same time.
   */
  private static final int MIN_BUFFERED_BLOCKS = 8;

  private static final long BUFFERED_BYTES = 32L << 20;

  /**
   * Checks every option.
   *
   * @throws IllegalArgumentException an option is out of its range, or two options contradict each
   *     other; the message is meant for the user
   */
  public TransferSpec {
    sources = List.copyOf(sources);
    Objects.requireNonNull(destination, "destination");
    Objects.requireNonNull(selection, "selection");
    Objects.requireNonNull(part, "part");
    Objects.requireNonNull(changing, "changing");
    Objects.requireNonNull(sync, "sync");
    Objects.requireNonNull(backups, "backups");
    Objects.requireNonNull(preservation, "preservation");
    Objects.requireNonNull(assurance, "assurance");
    Objects.requireNonNull(tuning, "tuning");
    Objects.requireNonNull(rateLimit, "rateLimit");
    Objects.requireNonNull(compression, "compression");
    checkRange("number of sources", sources.size(), 0, MAX_SOURCES);
    checkRange("names to delete", maxDelete, 0, Long.MAX_VALUE);
    checkRange("streams", streams, 1, MAX_STREAMS);
    checkRange("readers per disk", readersPerDisk, 1, MAX_THREADS_PER_DISK);
    checkRange("writers per disk", writersPerDisk, 1, MAX_THREADS_PER_DISK);
    checkRange("block size", blockSize, 1, MAX_BLOCK);
    checkRange("socket buffer", socketBuffer, 0, MAX_SOCKET_BUFFER);
    int backupPath = backups.map(BytePath::length).orElse(1);
    checkRange("length of the path of backups", backupPath, 1, MAX_BACKUP_PATH);
    if (sync.level() == SyncRule.Level.CHECKSUM && assurance.checksum() == Checksum.NONE) {
      throw new IllegalArgumentException("comparing contents needs a checksum");
    }
    if (delete && preservation.links() == Preservation.Links.FOLLOW) {
      throw new IllegalArgumentException(
          "a deletion cannot be combined with links that are followed; copy them or leave them"
              + " out");
    }
    if (!part.isWhole() && (recursive || sources.size() > 1)) {
      throw new IllegalArgumentException("a range needs exactly one file");
    }
    if (part.cut().isPresent()) {
      checkCut(dryRun, changing, sync);
    }
  }

  /** Rejects options that need the whole file for a range. */
  private static void checkCut(boolean dryRun, Changing changing, SyncRule sync) {
    if (dryRun || changing != Changing.FAIL || sync.level() == SyncRule.Level.CHECKSUM) {
      throw new IllegalArgumentException(
          "a file is not cut into ranges in a dry run, when it may change, or when its digest is"
              + " compared");
    }
  }

  /** A builder with the default of each option. */
  public static Builder builder() {
    return new Builder();
  }

  /** A builder with these options. */
  public Builder toBuilder() {
    return new Builder(this);
  }

  /** Builds a spec. Not thread-safe. */
  public static final class Builder extends TransferSpecBuilder<Builder> {
    private Builder() {}

    private Builder(TransferSpec spec) {
      super(spec);
    }

    @Override
    protected Builder self() {
      return this;
    }

    /**
     * The spec.
     *
     * @throws IllegalArgumentException options contradict each other
     */
    public TransferSpec build() {
      return spec();
    }
  }

  /** The part of the spec that the sender needs. */
  public TransferSpec forSender() {
    return toBuilder()
        .destination(BytePath.EMPTY)
        .destinationIsDirectory(false)
        .withoutBackups()
        .rateLimit(RateSchedule.NONE)
        .build();
  }

  /**
   * The part of the spec that the receiver needs: no sources, and of the selection only the names
   * that a deletion spares.
   */
  public TransferSpec forReceiver() {
    return toBuilder()
        .withoutSources()
        .recursive(false)
        .selection(delete ? selection : Selection.ALL)
        .part(part.cut().isPresent() ? part : FilePart.WHOLE)
        .sync(sync)
        .rateLimit(RateSchedule.NONE)
        .build();
  }

  /** The part of the spec that a data node needs, at either end: no names. */
  public TransferSpec forDataNode() {
    return toBuilder()
        .withoutSources()
        .recursive(false)
        .selection(Selection.ALL)
        .part(FilePart.WHOLE)
        .destination(BytePath.EMPTY)
        .destinationIsDirectory(false)
        .withoutBackups()
        .delete(false)
        .rateLimit(RateSchedule.NONE)
        .build();
  }

  /** A copy with other numbers of streams at the beginning and later. */
  public TransferSpec beginningWith(int atFirst, int later) {
    Tuning begins = new Tuning(tuning.streams(), later, tuning.readers(), tuning.congestion());
    return toBuilder().opening(atFirst, begins).build();
  }

  /** Data streams after the first bytes have been sent; at most {@link #streams}. */
  public int steadyStreams() {
    return tuning.steadyStreams(streams);
  }

  /** For FDT itself: the construction of the files' digests. */
  public DigestMethod digestMethod() {
    return DigestMethod.of(assurance.checksum(), blockSize);
  }

  /** Memory of one end for blocks: 32 MiB, or eight blocks when those are larger. */
  public long bufferBytes() {
    return Math.max(BUFFERED_BYTES, (long) MIN_BUFFERED_BLOCKS * blockSize);
  }

  /**
   * Most memory of one end: waiting blocks, one incomplete block per stream, names for a deletion.
   */
  public long memoryBytes(int openStreams) {
    long names = delete ? DELETION_NAMES_BYTES : 0;
    return bufferBytes() + (long) openStreams * blockSize + names;
  }

  static long checkRange(String what, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          what + " " + value + " is not between " + least + " and " + most);
    }
    return value;
  }
}
