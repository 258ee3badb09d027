package io.fdt.core.session.receiver;

import io.fdt.core.digest.BlockHasher;
import io.fdt.core.digest.ChunkedDigest;
import io.fdt.core.digest.DigestMethod;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.journal.KeptRanges;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.Entry;
import io.fdt.core.model.Range;
import io.fdt.core.model.RangeSet;
import io.fdt.core.unit.NumberText;
import io.fdt.core.wire.Crc32cCombine;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.control.FileEnd;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/**
 * One file of the receiver from its place in the manifest to its result, with its received ranges.
 *
 * <pre>
 *   PREPARING -------------------------> WANTED -> STORING -> settled
 *        |-> COMPARING ---------------------^          ^
 *        |       '-----> CHECKING ----------^          |
 *        |-> CHECKING ----------------------^          |
 *        '---------- another name of a file -----------'
 *   PREPARING, COMPARING -> settled (unchanged);  all -> settled (failed)
 * </pre>
 *
 * <p>Not thread-safe: confined to the thread of its {@link ReceiverMachine}. Final fields may be
 * read on any thread.
 *
 * @param <F> the writer of the file, opaque to this package
 */
public final class IncomingFile<F> {
  enum State {
    /** The place of the file at the destination is being determined. */
    PREPARING,
    /** The file at the destination is being compared with it. */
    COMPARING,
    /** The partial file of an interrupted transfer is being compared with the source. */
    CHECKING,
    /** Blocks may arrive. */
    WANTED,
    /** All bytes are written and verified; the file is getting its final name. */
    STORING,
    /** The outcome is known. */
    SETTLED;

    /** Whether blocks cannot have arrived yet. */
    boolean isBeforeData() {
      return this == PREPARING || isCompared();
    }

    /** Whether the sender reads all or a part of the file for a further decision. */
    boolean isCompared() {
      return this == COMPARING || this == CHECKING;
    }
  }

  private final Entry entry;
  private final DigestMethod method;
  private final RangeSet taken = new RangeSet();
  private final RangeSet written = new RangeSet();
  private State state = State.PREPARING;
  private int crc;
  private long keptBytes;

  private long resumedBytes;
  private boolean replaces;
  private boolean holesTold;
  private int keptCrc;

  /** The digest from the hashes of chunks; null before the first one, and for other checksums. */
  private ChunkedDigest chunks;

  /** The sender's message about the end of the file; null until received. */
  private FileEnd end;

  private boolean skipped;

  /** The size; of a stream that has not ended, the end of its last received block. */
  private long size;

  /** The checksums of a stream; null for a file of known size. */
  private final KeptRanges streamCrc;

  private byte[] packedDigest;
  private F writer;
  private Supplier<String> path = () -> "";

  /** Unfinished disk operations. */
  private int work;

  private boolean released;

  /** The failure; null for none. */
  private ErrorCode failure;

  private FileComparison<F> comparison;

  /** The ranges to check; only in {@link State#CHECKING}. */
  private PlacedEntry.Check<F> check;

  private final DuplicateBlocks duplicates = new DuplicateBlocks();

  IncomingFile(Entry entry, DigestMethod method) {
    this.entry = entry;
    this.method = method;
    this.size = entry.size();
    this.streamCrc = entry.metadata().sizeUnknown() ? new KeptRanges() : null;
  }

  public Entry entry() {
    return entry;
  }

  public long id() {
    return entry.id();
  }

  public long size() {
    return size;
  }

  /** Whether its size is unknown: {@link #size} is the end of the last block. */
  boolean isGrowing() {
    return streamCrc != null && end == null;
  }

  /** Extends a stream to at least this size; returns the increase. */
  long growTo(long least) {
    long more = Math.max(0, least - size);
    size += more;
    return more;
  }

  /** The number of contiguous bytes written from the start. */
  long writtenPrefix() {
    return written.prefix();
  }

  /** The writer of the file; null until it has its place. */
  public F writer() {
    return writer;
  }

  void setWriter(F newWriter) {
    writer = newWriter;
  }

  /** The escaped path at the destination; empty until it has its place. */
  public Supplier<String> path() {
    return path;
  }

  void setPath(Supplier<String> newPath) {
    path = newPath;
  }

  /** Counts a disk operation for this file. */
  void beginWork() {
    work++;
  }

  void endWork() {
    work--;
  }

  /** The failure; null for none. */
  public ErrorCode failure() {
    return failure;
  }

  void setFailure(ErrorCode code) {
    failure = code;
  }

  /** Whether the file can be released now; true only once. */
  boolean takeRelease() {
    if (work > 0 || released) {
      return false;
    }
    released = true;
    return true;
  }

  /** Whether the outcome is known. */
  public boolean isSettled() {
    return state == State.SETTLED;
  }

  State state() {
    return state;
  }

  /** Changes the state; the only method that does. */
  void moveTo(State next) {
    boolean allowed =
        switch (state) {
          case PREPARING -> next != State.PREPARING;
          case COMPARING -> next == State.CHECKING || next == State.WANTED || next == State.SETTLED;
          case CHECKING -> next == State.WANTED || next == State.SETTLED;
          case WANTED -> next == State.STORING || next == State.SETTLED;
          case STORING -> next == State.SETTLED;
          case SETTLED -> false;
        };
    if (!allowed) {
      throw new IllegalStateException("file " + id() + " cannot go from " + state + " to " + next);
    }
    state = next;
  }

  /**
   * Keeps ranges that an earlier transfer wrote. Called once, before any block arrives.
   *
   * @return the ranges that need not be sent; for a digest from chunks, the whole chunks of each
   *     range
   */
  List<Range> keep(List<CheckedRange> ranges) {
    List<Range> kept = new ArrayList<>();
    for (CheckedRange range : ranges) {
      long start = method.cutAtOrAfter(range.start(), size());
      long end = method.cutAtOrBefore(range.end(), size());
      if (start < end) {
        kept.add(new Range(start, end));
        taken.add(start, end);
        written.add(start, end);
        keptBytes += end - start;
        resumedBytes += end - start;
        keptCrc ^= Crc32cCombine.shift(range.crc(), size() - range.end());
      }
    }
    return kept;
  }

  /** Records a range whose bytes were in the file that this one replaces. */
  void matched(CheckedRange range) {
    written.add(range.start(), range.end());
    keptBytes += range.length();
    keptCrc ^= Crc32cCombine.shift(range.crc(), size() - range.end());
  }

  /** The ranges that arrived or are being written. A copy. */
  RangeSet takenRanges() {
    RangeSet copy = new RangeSet();
    taken.copyTo(copy, 0, size());
    return copy;
  }

  /** Whether some of its bytes are from an interrupted transfer. */
  public boolean isResumed() {
    return resumedBytes > 0;
  }

  /** Bytes from an interrupted transfer. */
  long resumedBytes() {
    return resumedBytes;
  }

  /** Bytes that a later transfer moves if this file fails for {@code reason}. */
  long missingAfter(ErrorCode reason) {
    boolean isKept = reason.isWorthContinuing() && entry.size() >= Entry.RESUMED_BYTES;
    return size() - (isKept ? written.covered() : 0);
  }

  /** Whether it takes the name of an existing file or link. */
  public boolean replaces() {
    return replaces;
  }

  void setReplaces() {
    replaces = true;
  }

  /** Claims holes, once; false when a range is claimed already, or on a second call. */
  boolean takeHoles(List<Range> holes) {
    if (holesTold || holes.stream().anyMatch(hole -> taken.intersects(hole.start(), hole.end()))) {
      return false;
    }
    holesTold = true;
    for (Range hole : holes) {
      taken.add(hole.start(), hole.end());
      keptBytes += hole.length();
    }
    return true;
  }

  /** Records that claimed holes exist. */
  void madeHoles(List<Range> holes) {
    for (Range hole : holes) {
      written.add(hole.start(), hole.end());
      keptCrc ^= Crc32cCombine.shift(Crc32cCombine.ofZeros(hole.length()), size() - hole.end());
    }
  }

  /** Makes the file another name of a file; it needs no bytes. */
  void link() {
    taken.add(0, size());
    keptBytes = size();
    moveTo(State.STORING);
  }

  /** Bytes that need not be sent. */
  public long keptBytes() {
    return keptBytes;
  }

  /** Bytes that this session has written, holes among them. */
  public long writtenBytes() {
    return written.covered() - keptBytes;
  }

  /** The number of contiguous received pieces; grows with blocks out of order. */
  public int pieces() {
    return taken.count();
  }

  /** Claims a range for writing; false when a part of it is being written or was written. */
  boolean take(long start, long end) {
    if (taken.intersects(start, end)) {
      return false;
    }
    taken.add(start, end);
    return true;
  }

  /** Releases a claimed range that was not written. */
  void giveBack(long start, long end) {
    taken.remove(start, end);
  }

  /** Whether all of a range is written. */
  boolean hasWritten(long start, long end) {
    return written.contains(start, end);
  }

  /** Blocks that arrived again before their first copy was written. */
  DuplicateBlocks duplicates() {
    return duplicates;
  }

  /** Whether all of a range has been claimed. */
  boolean hasTaken(long start, long end) {
    return taken.contains(start, end);
  }

  /** Records a written range with its checksum. */
  void wrote(long start, long end, int blockCrc) {
    written.add(start, end);
    if (streamCrc == null) {
      crc ^= Crc32cCombine.shift(blockCrc, size - end);
    } else {
      streamCrc.add(start, end, blockCrc);
    }
  }

  private int crc() {
    return streamCrc == null ? crc : streamCrc.crc();
  }

  /** Adds the hashes of chunks that are written or kept. */
  void hashed(long offset, byte[] hashes) {
    if (chunks == null) {
      chunks = new ChunkedDigest(method, size());
    }
    chunks.add(offset, hashes);
  }

  /** Records the sender's message about the end of the file. */
  void end(FileEnd said) {
    this.end = said;
  }

  /** Sets whether its failure counts as skipped. */
  void setSkipped(boolean value) {
    skipped = value;
  }

  /** Whether its failure counts as skipped. */
  public boolean isSkipped() {
    return skipped;
  }

  /** The change during reading at the sender, for display; empty for none. */
  String change() {
    return end == null ? "" : MessageText.received(end.getChanged());
  }

  /** Begins a comparison; the digests of both files are being computed. */
  void beginComparison(PlacedEntry.Compare<F> there) {
    comparison = new FileComparison<>(there);
    moveTo(State.COMPARING);
  }

  /** Begins a check: the sender reads the ranges of an interrupted transfer again. */
  void beginChecking(PlacedEntry.Check<F> left) {
    check = left;
    moveTo(State.CHECKING);
  }

  /** The ranges of an interrupted transfer that the sender reads again. */
  PlacedEntry.Check<F> check() {
    return check;
  }

  /** The existing file that this one is compared with. */
  PlacedEntry.Compare<F> comparison() {
    return comparison.there;
  }

  /**
   * Records the digest of the existing file.
   *
   * @param digest null when the file cannot be read
   * @return false when the sender has given up the comparison
   */
  boolean endReadingDigest(byte[] digest) {
    comparison.isBusy = false;
    comparison.digest = digest;
    comparison.isRead = true;
    return comparison.failure == null;
  }

  /** Records that the sender has given up the comparison; false for a repetition. */
  boolean giveUpComparison(FdtException cause) {
    if (comparison.failure != null) {
      return false;
    }
    comparison.failure = cause;
    return true;
  }

  /** The reason why the sender gave up the comparison; null for none. */
  FdtException comparisonFailure() {
    return comparison.failure;
  }

  /** Whether a thread uses the existing file. */
  boolean isComparisonBusy() {
    return comparison.isBusy;
  }

  boolean knowsBothDigests() {
    return end != null && comparison.isRead;
  }

  /** Compares the digests, and clears the sender's message. */
  boolean compareDigests() {
    FileEnd said = end;
    end = null;
    comparison.isRead = false;
    comparison.isBusy = true;
    byte[] atSender =
        method.isOfChunks() ? said.getDigest().toByteArray() : BlockHasher.ofCrc(said.getCrc32C());
    return comparison.digest != null && Arrays.equals(comparison.digest, atSender);
  }

  /** The state of a comparison. */
  private static final class FileComparison<F> {
    final PlacedEntry.Compare<F> there;
    boolean isBusy = true;
    boolean isRead;
    byte[] digest;
    FdtException failure;

    FileComparison(PlacedEntry.Compare<F> there) {
      this.there = there;
    }
  }

  /** Sets the digest of a small file that arrived whole and was verified. */
  void setPackedDigest(byte[] digest) {
    packedDigest = digest;
  }

  /** Whether all bytes are written and the sender's digest is known. */
  boolean isComplete() {
    boolean hashed = !method.isOfChunks() || (chunks != null && chunks.isComplete());
    return end != null && written.covered() == size() && hashed;
  }

  /** Whether the written bytes equal those that the sender has read. */
  boolean isVerified() {
    return switch (method.checksum()) {
      case CRC32C -> crc() == end.getCrc32C();
      case XXH3, BLAKE3, SHA256, MD5, SHA1 ->
          Arrays.equals(chunks.value(), end.getDigest().toByteArray());
      case NONE -> true;
    };
  }

  /** The digest of the whole file, once it is complete; empty without a digest. */
  public byte[] digest() {
    if (packedDigest != null) {
      return packedDigest;
    }
    return switch (method.checksum()) {
      case CRC32C -> BlockHasher.ofCrc(crc() ^ keptCrc);
      case XXH3, BLAKE3, SHA256, MD5, SHA1 -> chunks.value();
      case NONE -> new byte[0];
    };
  }

  /** The equal digest at both ends after a comparison; otherwise empty. */
  public byte[] comparedDigest() {
    return comparison == null || comparison.digest == null ? new byte[0] : comparison.digest;
  }

  /** The difference from the source, for display. */
  String difference() {
    return "differs from the source"
        + (isResumed()
            ? ", perhaps in %s of an interrupted transfer".formatted(NumberText.bytes(resumedBytes))
            : "")
        + ": not kept";
  }
}
