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
import io.fdt.core.wire.Crc32cCombine;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.control.FileEnd;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Supplier;

/**
 * One file of the receiver from its place in the manifest to its result, and which ranges of it
 * have arrived.
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
 * @param <F> what writes the file; this package only keeps it
 */
public final class IncomingFile<F> {
  enum State {
    /** Its place at the destination is being looked at. */
    PREPARING,
    /** The file at the destination is being compared with it. */
    COMPARING,
    /** The partial file of an interrupted transfer is being compared with the source. */
    CHECKING,
    /** Blocks may come. */
    WANTED,
    /** Everything is written and verified; it is getting its final name. */
    STORING,
    /** Its outcome is known. */
    SETTLED;

    /** Whether no block of it may have come. */
    boolean isBeforeData() {
      return this == PREPARING || isCompared();
    }

    /** Whether the sender reads it, or a part of it, for a further decision. */
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

  private boolean isResumed;
  private boolean holesTold;
  private int keptCrc;

  /** Made of the hashes of chunks; null until the first has come, and with other checksums. */
  private ChunkedDigest chunks;

  /** The sender's message about its end; null until it has come. */
  private FileEnd end;

  private boolean skipped;

  /** The size; while a stream has not ended, the end of the last block that has come. */
  private long size;

  /** Null unless the size is unknown before the end. */
  private final KeptRanges streamCrc;

  private byte[] packedDigest;
  private F writer;
  private Supplier<String> path = () -> "";

  /** Work for disks that was asked for and is not done. */
  private int work;

  private boolean released;

  /** Why it failed; null when it has not. */
  private ErrorCode failure;

  private FileComparison<F> comparison;

  /** While it is {@link State#CHECKING}. */
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

  /** Whether its size is not known yet: {@link #size} is where the last block ends. */
  boolean isGrowing() {
    return streamCrc != null && end == null;
  }

  /** A stream has at least this size; returns by how much that is more than before. */
  long growTo(long least) {
    long more = Math.max(0, least - size);
    size += more;
    return more;
  }

  /** How many of its first bytes are written. */
  long writtenPrefix() {
    return written.prefix();
  }

  /** Writes it; null until it has its place. */
  public F writer() {
    return writer;
  }

  void setWriter(F newWriter) {
    writer = newWriter;
  }

  /** Where it is at the destination, for people; empty until it has its place. */
  public Supplier<String> path() {
    return path;
  }

  void setPath(Supplier<String> newPath) {
    path = newPath;
  }

  /** A disk gets work to do for it. */
  void beginWork() {
    work++;
  }

  void endWork() {
    work--;
  }

  /** Why it did not arrive; null unless it failed. */
  public ErrorCode failure() {
    return failure;
  }

  void setFailure(ErrorCode code) {
    failure = code;
  }

  /** Whether it can be released now; true once. */
  boolean takeRelease() {
    if (work > 0 || released) {
      return false;
    }
    released = true;
    return true;
  }

  /** Whether its outcome is known. */
  public boolean isSettled() {
    return state == State.SETTLED;
  }

  State state() {
    return state;
  }

  /** The only way from one state to the next. */
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
   * Ranges that an earlier transfer wrote. Called once, before any block comes.
   *
   * @return those that need not be sent: of each range the whole chunks, when the digest is made of
   *     hashes of chunks
   */
  List<Range> keep(List<CheckedRange> ranges) {
    List<Range> kept = new ArrayList<>();
    for (CheckedRange range : ranges) {
      long start = method.cutAtOrAfter(range.start(), size());
      long end = method.cutAtOrBefore(range.end(), size());
      if (start < end) {
        kept.add(new Range(start, end));
        isResumed = true;
        taken.add(start, end);
        written.add(start, end);
        keptBytes += end - start;
        keptCrc ^= Crc32cCombine.shift(range.crc(), size() - range.end());
      }
    }
    return kept;
  }

  /** Whether some of its bytes are of an interrupted transfer. */
  public boolean isResumed() {
    return isResumed;
  }

  /**
   * Claims ranges that are holes, once; false when any of them is claimed already, or on a second
   * call.
   */
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

  /** Claimed holes are there. */
  void madeHoles(List<Range> holes) {
    for (Range hole : holes) {
      written.add(hole.start(), hole.end());
      keptCrc ^= Crc32cCombine.shift(Crc32cCombine.ofZeros(hole.length()), size() - hole.end());
    }
  }

  /** It becomes another name of a file: none of its bytes is to come. */
  void link() {
    taken.add(0, size());
    keptBytes = size();
    moveTo(State.STORING);
  }

  /** Bytes that need not be sent. */
  public long keptBytes() {
    return keptBytes;
  }

  /** Pieces that what has come so far is in; grows when blocks come out of order. */
  public int pieces() {
    return taken.count();
  }

  /** Claims a range for writing; false when any of it is being written, or is written, already. */
  boolean take(long start, long end) {
    if (taken.intersects(start, end)) {
      return false;
    }
    taken.add(start, end);
    return true;
  }

  /** A claimed range was not written after all. */
  void giveBack(long start, long end) {
    taken.remove(start, end);
  }

  /** Whether all of a range is written. */
  boolean hasWritten(long start, long end) {
    return written.contains(start, end);
  }

  /** Blocks that have come again before their first copy was written. */
  DuplicateBlocks duplicates() {
    return duplicates;
  }

  /** Whether all of a range has been claimed. */
  boolean hasTaken(long start, long end) {
    return taken.contains(start, end);
  }

  /** A claimed range with this checksum is written. */
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

  /** The hashes of the chunks of what is written, or was kept. */
  void hashed(long offset, byte[] hashes) {
    if (chunks == null) {
      chunks = new ChunkedDigest(method, size());
    }
    chunks.add(offset, hashes);
  }

  /** The sender's message about it, now that it is read to the end. */
  void end(FileEnd said) {
    this.end = said;
  }

  /** Its failure counts as something that is left out. */
  void setSkipped(boolean value) {
    skipped = value;
  }

  /** Whether its failure counts as something that is left out. */
  public boolean isSkipped() {
    return skipped;
  }

  /** How it has changed while the sender read it, for display; empty when it has not. */
  String change() {
    return end == null ? "" : MessageText.received(end.getChanged());
  }

  /** Its digest and that of what is there are to be compared; both are being made. */
  void beginComparison(PlacedEntry.Compare<F> there) {
    comparison = new FileComparison<>(there);
    moveTo(State.COMPARING);
  }

  /** The sender reads again what an interrupted transfer left. */
  void beginChecking(PlacedEntry.Check<F> left) {
    check = left;
    moveTo(State.CHECKING);
  }

  /** The ranges that an interrupted transfer left and that the sender reads again. */
  PlacedEntry.Check<F> check() {
    return check;
  }

  /** The file that it is compared with. */
  PlacedEntry.Compare<F> comparison() {
    return comparison.there;
  }

  /**
   * The digest of what is there was made.
   *
   * @param digest null when it cannot be made
   * @return false when the sender has given the file up meanwhile
   */
  boolean endReadingDigest(byte[] digest) {
    comparison.isBusy = false;
    comparison.digest = digest;
    comparison.isRead = true;
    return comparison.failure == null;
  }

  /** The sender has given it up; false when it had before. */
  boolean giveUpComparison(FdtException cause) {
    if (comparison.failure != null) {
      return false;
    }
    comparison.failure = cause;
    return true;
  }

  /** Why the sender gave it up while it was compared; null when it has not. */
  FdtException comparisonFailure() {
    return comparison.failure;
  }

  /** Whether a thread has to do with what is there. */
  boolean isComparisonBusy() {
    return comparison.isBusy;
  }

  boolean knowsBothDigests() {
    return end != null && comparison.isRead;
  }

  /** Compares the digests; what the sender said is forgotten here. */
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

  /** The digest of a small file that came whole and was verified. */
  void setPackedDigest(byte[] digest) {
    packedDigest = digest;
  }

  /** Whether all of it is written and the sender has said what it should be. */
  boolean isComplete() {
    boolean hashed = !method.isOfChunks() || (chunks != null && chunks.isComplete());
    return end != null && written.covered() == size() && hashed;
  }

  /** Whether what was written is what the sender has read. */
  boolean isVerified() {
    return switch (method.checksum()) {
      case CRC32C -> crc() == end.getCrc32C();
      case XXH3, BLAKE3, SHA256, MD5, SHA1 ->
          Arrays.equals(chunks.value(), end.getDigest().toByteArray());
      case NONE -> true;
    };
  }

  /** The digest of the whole file, once it is complete; empty when there is none. */
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

  /** The digest that it has at both ends, where they were compared; empty when they were not. */
  public byte[] comparedDigest() {
    return comparison == null || comparison.digest == null ? new byte[0] : comparison.digest;
  }

  /** In what it differs from the source; for people. */
  String difference() {
    HexFormat hex = HexFormat.of();
    String here = method.isOfChunks() ? hex.formatHex(chunks.value()) : hex.toHexDigits(crc());
    String there =
        method.isOfChunks()
            ? hex.formatHex(end.getDigest().toByteArray())
            : hex.toHexDigits(end.getCrc32C());
    return "checksum " + here + ", but the source has " + there + ": not kept";
  }
}
