package io.fdt.core.session.sender;

import com.google.protobuf.ByteString;
import io.fdt.core.digest.ChunkedDigest;
import io.fdt.core.digest.DigestMethod;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.journal.KeptRanges;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.Entry;
import io.fdt.core.model.Range;
import io.fdt.core.model.RangeSet;
import io.fdt.core.session.HoleRules;
import io.fdt.core.wire.Crc32cCombine;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.control.FileEnd;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * One file of the sender from its place in the manifest to its result.
 *
 * <pre>
 *   OFFERED -----> SURVEYING ----> WANTED ----> IN_BLOCKS
 *     |  ^ '---------------------^
 *     v  |
 *   COMPARING, CHECKING            all -> SETTLED
 * </pre>
 *
 * <p>Not thread-safe: confined to the thread of its {@link SenderMachine}. Final fields may be read
 * on any thread.
 *
 * @param <S> the opener of the file, opaque to this package
 */
public final class OutgoingFile<S> {
  enum State {
    /** The receiver has not decided, or makes the file another name of a file. */
    OFFERED,
    /**
     * The file is read only for its digest, which the receiver compares with that of its own file.
     */
    COMPARING,
    /** Ranges that the receiver has from an interrupted transfer are read for their checksums. */
    CHECKING,
    /** The file is wanted and sparse: its holes are searched before reading is planned. */
    SURVEYING,
    /** The file is read and sent. */
    WANTED,
    /**
     * The file is read and sent in blocks, although small, because it changed while it was read
     * whole.
     */
    IN_BLOCKS,
    /** The outcome is known: no more of the file is read or sent. */
    SETTLED
  }

  /**
   * How often a byte is hashed at most: by weak hashes of large and small pieces and a strong one,
   * in a sample, and again with all others before it is sent.
   */
  private static final int MAX_HASHED = 6;

  private final Entry entry;
  private final S source;
  private final int queue;

  private final DigestMethod method;

  /** Ranges not planned for reading yet, in order. */
  private final ArrayDeque<Range> unplanned = new ArrayDeque<>(1);

  /** Ranges that the receiver has, and holes. */
  private final RangeSet kept = new RangeSet();

  private long resumedBytes;

  /** The holes among them. */
  private final RangeSet zeros = new RangeSet();

  /** The digest from the hashes of chunks; null before the first one, and for other checksums. */
  private ChunkedDigest digest;

  private long toSend;

  /** The size in bytes; of a stream, the bytes read so far. */
  private long size;

  /** The checksums of a stream; null for a file of known size. */
  private final KeptRanges streamCrc;

  /** Checksums of the ranges kept by the receiver while they are read again; otherwise null. */
  private RangeChecksums checked;

  private final HashWindow hashWindow;

  /** Ranges that the receiver compares with another version of the file; null for none. */
  private HashedRanges hashed;

  /** Whether the file is sent whole, with others. */
  private boolean isPacked;

  /** Whether it is in the queue for blocks, and in that for hashes. */
  private boolean isQueued;

  private boolean isInHashing;

  /** Bytes that are known to be written at the receiver. */
  private long written;

  /** Bytes that have been read for the first time. */
  private long read;

  /** The checksum of the bytes read so far, with zeros in place of the rest (see Crc32cCombine). */
  private int crc;

  private byte[] digestAtReceiver = {};
  private State state = State.OFFERED;

  /** The failure of reading; null for none. */
  private ErrorCode readFailure;

  /** The change of the file while it was read; empty for none. */
  private String change = "";

  public OutgoingFile(Entry entry, S source, int queue, DigestMethod method) {
    this(entry, source, queue, method, new HashWindow());
  }

  OutgoingFile(Entry entry, S source, int queue, DigestMethod method, HashWindow hashWindow) {
    this.entry = entry;
    this.hashWindow = hashWindow;
    this.source = source;
    this.queue = queue;
    this.method = method;
    this.size = entry.size();
    this.toSend = size;
    boolean isStream = entry.metadata().sizeUnknown();
    this.streamCrc = isStream ? new KeptRanges() : null;
    if (isStream || size > 0) {
      unplanned.add(new Range(0, isStream ? Long.MAX_VALUE : size));
    }
  }

  public Entry entry() {
    return entry;
  }

  public S source() {
    return source;
  }

  public long id() {
    return entry.id();
  }

  public long size() {
    return size;
  }

  /** Whether its bytes come from a stream, one block after another, until the first short one. */
  public boolean isStream() {
    return streamCrc != null;
  }

  /** Whether the size is known. */
  boolean hasEnded() {
    return !isStream() || isPlanned();
  }

  /** Ends the stream: its size is the number of bytes read. */
  void endStream() {
    unplanned.clear();
  }

  int queue() {
    return queue;
  }

  State state() {
    return state;
  }

  /** Changes the state; the only method that does. */
  void moveTo(State next) {
    boolean isAllowed =
        switch (state) {
          case OFFERED -> next != State.OFFERED && next != State.IN_BLOCKS;
          case COMPARING, CHECKING -> next == State.OFFERED || next == State.SETTLED;
          case SURVEYING -> next == State.WANTED || next == State.SETTLED;
          case WANTED -> next == State.IN_BLOCKS || next == State.SETTLED;
          case IN_BLOCKS -> next == State.IN_BLOCKS || next == State.SETTLED;
          case SETTLED -> false;
        };
    if (!isAllowed) {
      throw new IllegalStateException("file " + id() + " cannot go from " + state + " to " + next);
    }
    state = next;
    if (state == State.SETTLED && hashed != null) {
      hashed.end();
    }
  }

  boolean isWanted() {
    return state == State.SURVEYING || state == State.WANTED || state == State.IN_BLOCKS;
  }

  void want() {
    moveTo(entry.metadata().sparse() ? State.SURVEYING : State.WANTED);
  }

  /** Whether all or a part of the file is read for a further decision. */
  boolean isCompared() {
    return state == State.COMPARING || state == State.CHECKING;
  }

  /** Begins reading ranges that the receiver has from an interrupted transfer. */
  void beginChecking(List<Range> ranges) {
    moveTo(State.CHECKING);
    checked = new RangeChecksums(ranges);
    unplanned.clear();
    unplanned.addAll(ranges);
  }

  /** Ends comparing or checking: the file counts as unread, and may be planned again. */
  void endComparison() {
    moveTo(State.OFFERED);
    checked = null;
    read = 0;
    crc = 0;
    digest = null;
    unplanned.clear();
    unplanned.add(new Range(0, size()));
  }

  public boolean isSettled() {
    return state == State.SETTLED;
  }

  /**
   * Excludes ranges that the receiver already has, in order, from sending. They are still read for
   * a digest from the hashes of all chunks. Called before reading is planned.
   */
  void keep(List<Range> ranges) {
    for (Range range : ranges) {
      kept.add(range.start(), range.end());
    }
    plan();
    resumedBytes = size() - toSend;
  }

  /** Whether some of its bytes are from an interrupted transfer. */
  public boolean isResumed() {
    return resumedBytes > 0;
  }

  /** Bytes from an interrupted transfer. */
  long resumedBytes() {
    return resumedBytes;
  }

  /** Records that the file changed while it was read, and is still copied. */
  void setChange(String how) {
    change = how;
  }

  /** The change of the file while it was read, with its path; empty for none. */
  public String change() {
    return change;
  }

  void failReading(ErrorCode cause) {
    readFailure = cause;
  }

  /** The failure of reading; null for none. */
  ErrorCode readFailure() {
    return readFailure;
  }

  /**
   * Excludes holes from sending.
   *
   * @return the holes to announce to the receiver
   */
  List<Range> leaveOut(List<Range> holes) {
    moveTo(State.WANTED);
    List<Range> told = HoleRules.told(holes, kept, size(), method);
    for (Range range : told) {
      kept.add(range.start(), range.end());
      zeros.add(range.start(), range.end());
    }
    plan();
    return told;
  }

  private void plan() {
    toSend = size() - kept.covered();
    List<Range> planned = new ArrayList<>(kept.missing(size()));
    if (method.isOfChunks()) {
      planned.addAll(kept.ranges());
      planned.sort(Comparator.comparingLong(Range::start));
    }
    unplanned.clear();
    unplanned.addAll(planned);
  }

  /** Whether this block is not sent: the receiver may have it, or it is a hole. */
  boolean isKept(Range block) {
    return isCompared() || kept.contains(block.start(), block.end());
  }

  /** Whether this block is a hole according to the file system. */
  boolean isHole(Range block) {
    return zeros.contains(block.start(), block.end());
  }

  /**
   * Has ranges hashed before they are sent, as far as they are not planned for reading, or hashed
   * again.
   *
   * @param parts in order
   */
  void hash(List<HashedRanges.Part> parts) {
    if (isPacked || parts.isEmpty()) {
      return; // it is sent whole, with others
    }
    if (hashed == null) {
      hashed = new HashedRanges(hashWindow);
    }
    if (state != State.WANTED && state != State.IN_BLOCKS) {
      hashed.addEarly(parts);
      return;
    }
    List<HashedRanges.Part> again = new ArrayList<>();
    List<HashedRanges.Part> fresh = new ArrayList<>();
    for (HashedRanges.Part part : parts) {
      List<Range> open = hashed.answer(part.range());
      open.forEach(range -> again.add(part.of(range.start(), range.end())));
      if (open.isEmpty()) {
        fresh.add(part);
      }
    }
    again.forEach(part -> hashed.add(part, true));
    if (!fresh.isEmpty()) {
      fresh.sort(Comparator.comparingLong(part -> part.range().start())); // of several requests
      hashUnplanned(fresh);
    }
  }

  /** Has the ranges hashed that were asked for before reading was planned. */
  void hashEarly() {
    if (hashed != null) {
      hash(hashed.takeEarly());
    }
  }

  /** Moves the whole pieces that are not planned for reading. */
  private void hashUnplanned(List<HashedRanges.Part> parts) {
    List<Range> sorted = new ArrayList<>(unplanned);
    sorted.sort(Comparator.comparingLong(Range::start));
    unplanned.clear();
    int first = 0;
    for (Range range : sorted) {
      long at = range.start();
      while (first < parts.size() && parts.get(first).range().end() <= at) {
        first++;
      }
      boolean isKept = kept.intersects(range.start(), range.end());
      for (int i = first;
          !isKept && i < parts.size() && parts.get(i).range().start() < range.end();
          i++) {
        HashedRanges.Part part = parts.get(i);
        long start = Math.max(at, part.range().start());
        start = (start + part.piece() - 1) / part.piece() * part.piece();
        long end = Math.min(range.end(), part.range().end());
        end = end == size() ? end : end / part.piece() * part.piece();
        if (start < end) {
          addUnplanned(at, start);
          hashed.add(part.of(start, end), false);
          at = end;
        }
      }
      addUnplanned(at, range.end());
    }
  }

  private void addUnplanned(long start, long end) {
    if (start < end) {
      unplanned.add(new Range(start, end));
    }
  }

  /**
   * The receiver has a hashed range: it is not sent.
   *
   * @return false unless all of it waits for an answer
   */
  boolean keepHashed(Range range) {
    if (hashed == null || !hashed.isOpen(range)) {
      return false;
    }
    hashed.answer(range);
    toSend -= range.length();
    if (method.isOfChunks()) { // it is read for the digest
      kept.add(range.start(), range.end());
      unplanned.add(range);
    }
    return true;
  }

  /** The receiver lacks a range: what waits for an answer is sent. */
  void sendHashed(Range range) {
    if (hashed != null) {
      unplanned.addAll(hashed.answer(range));
    }
  }

  /** Whether the hashes of a range are still wanted. */
  boolean isHashed(Range range) {
    return !isSettled() && hashed != null && hashed.isOpen(range);
  }

  /** Its ranges to hash; null when none was ever asked for. */
  HashedRanges hashes() {
    return hashed;
  }

  /** Whether a receiver has asked for more hashes than one that follows the rules. */
  boolean isHashedTooOften() {
    return hashed != null && hashed.asked() / MAX_HASHED > size();
  }

  /** The number of ranges to read or to hash. */
  int pieces() {
    return unplanned.size() + (hashed == null ? 0 : hashed.pieces());
  }

  /** Records that the file is sent whole, with others. */
  void setPacked() {
    isPacked = true;
  }

  boolean isQueued() {
    return isQueued;
  }

  void setQueued(boolean value) {
    isQueued = value;
  }

  boolean isInHashing() {
    return isInHashing;
  }

  void setInHashing(boolean value) {
    isInHashing = value;
  }

  /** Bytes to send to the receiver. */
  public long toSend() {
    return toSend;
  }

  /**
   * Adds bytes that are written at the receiver.
   *
   * @return the bytes not counted before
   */
  long wrote(long bytes) {
    if (isSettled()) {
      return 0;
    }
    written += bytes;
    return bytes;
  }

  /**
   * Records that the file is complete at the receiver, even if acknowledgements are missing.
   *
   * @return the bytes not counted before
   */
  long wroteAll() {
    return isWanted() ? wrote(toSend - written) : 0;
  }

  /** Bytes that are known to be written at the receiver. */
  public long written() {
    return written;
  }

  /** Whether some of its bytes have been read to be sent. */
  public boolean hasBegun() {
    return read > 0;
  }

  /** Whether every byte has been planned for reading. */
  boolean isPlanned() {
    return unplanned.isEmpty();
  }

  /** Most bytes of the next block of {@link #planBlock}. */
  long nextBlockLength(int blockSize) {
    Range next = unplanned.peek();
    return endOfBlock(next, blockSize) - next.start();
  }

  private static long endOfBlock(Range next, int blockSize) {
    return Math.min(next.end(), next.start() - next.start() % blockSize + blockSize);
  }

  /**
   * The next block to read, which then counts as planned. It ends at a multiple of the block size.
   */
  Range planBlock(int blockSize) {
    Range next = unplanned.poll();
    long end = endOfBlock(next, blockSize);
    if (end < next.end()) {
      unplanned.addFirst(new Range(end, next.end()));
    }
    return new Range(next.start(), end);
  }

  /** Whether all required bytes have been read. */
  boolean isRead() {
    if (checked != null) {
      return checked.isComplete();
    }
    boolean hashed = !method.isOfChunks() || (digest != null && digest.isComplete());
    return hasEnded() && read == toSend && hashed;
  }

  /** Records a block read for the first time. */
  void accountRead(long offset, int length, int blockCrc) {
    if (checked != null) {
      checked.add(offset, length, blockCrc);
      return;
    }
    read += length;
    if (isStream()) {
      size += length;
      toSend = size;
      streamCrc.add(offset, offset + length, blockCrc);
    } else {
      crc ^= Crc32cCombine.shift(blockCrc, size - offset - length);
    }
  }

  /** Adds the hashes of the chunks of a block read for the first time. */
  void accountHashes(long offset, byte[] hashes) {
    if (digest == null) {
      digest = new ChunkedDigest(method, size());
    }
    digest.add(offset, hashes);
  }

  /** The digest of a done file at the receiver; empty without a digest. */
  public byte[] digestAtReceiver() {
    return digestAtReceiver;
  }

  void setDigestAtReceiver(byte[] digest) {
    digestAtReceiver = digest;
  }

  /** The digest from the hashes of chunks; after the file was read. */
  byte[] digest() {
    return digest.value();
  }

  /** The message about the end of the file; after the file was read. */
  FileEnd.Builder end() {
    FileEnd.Builder end = FileEnd.newBuilder().setId(id());
    if (checked != null) {
      return end.addAllKeptCrc32C(checked.values());
    }
    if (method.isOfChunks()) {
      end.setDigest(ByteString.copyFrom(digest()));
    } else if (method.checksum() == Checksum.CRC32C) {
      end.setCrc32C(isStream() ? streamCrc.crc() : crc);
    }
    if (isStream()) {
      end.setSize(size);
    }
    if (!change.isEmpty()) {
      end.setChanged(MessageText.fit(change));
    }
    return end;
  }
}
