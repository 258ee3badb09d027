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
 * @param <S> what opens the file; this package only keeps it
 */
public final class OutgoingFile<S> {
  enum State {
    /** The receiver has not decided, or makes it another name of a file. */
    OFFERED,
    /** It is read for its digest alone, which the receiver compares with that of its own file. */
    COMPARING,
    /** Ranges that the receiver has from an interrupted transfer are read for their checksums. */
    CHECKING,
    /** It is wanted and sparse: its holes are looked for before anything of it is planned. */
    SURVEYING,
    /** It is read and sent. */
    WANTED,
    /** The same, in blocks, however small it is: it has changed while it was read whole. */
    IN_BLOCKS,
    /** Its outcome is known: nothing more of it is read or sent. */
    SETTLED
  }

  private final Entry entry;
  private final S source;
  private final int queue;

  private final DigestMethod method;

  /** Ranges that are not planned for reading, in order. */
  private final ArrayDeque<Range> unplanned = new ArrayDeque<>(1);

  /** Ranges that the receiver has, and holes. */
  private final RangeSet kept = new RangeSet();

  private boolean isResumed;

  /** The holes among them. */
  private final RangeSet zeros = new RangeSet();

  /** Made of the hashes of chunks; null until the first has come, and with other checksums. */
  private ChunkedDigest digest;

  private long toSend;

  /** Bytes of the whole; of a stream, those that have been read until its end. */
  private long size;

  /** Null unless the size is unknown before the end. */
  private final KeptRanges streamCrc;

  /** Checksums of the ranges that the receiver has kept, while they are read again; else null. */
  private RangeChecksums checked;

  /** Bytes that are known to be written at the receiver. */
  private long written;

  /** Bytes that have been read for the first time. */
  private long read;

  /** Checksum of what was read so far, as if the rest were zero bytes (see Crc32cCombine). */
  private int crc;

  private byte[] digestAtReceiver = {};
  private State state = State.OFFERED;

  /** Why it could not be read; null unless it could not. */
  private ErrorCode readFailure;

  /** How it has changed while it was read; empty when it has not. */
  private String change = "";

  public OutgoingFile(Entry entry, S source, int queue, DigestMethod method) {
    this.entry = entry;
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

  /** Whether its size is known. */
  boolean hasEnded() {
    return !isStream() || isPlanned();
  }

  /** The stream has ended: its size is what has been read. */
  void endStream() {
    unplanned.clear();
  }

  int queue() {
    return queue;
  }

  State state() {
    return state;
  }

  /** The only way from one state to the next. */
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
  }

  boolean isWanted() {
    return state == State.SURVEYING || state == State.WANTED || state == State.IN_BLOCKS;
  }

  void want() {
    moveTo(entry.metadata().sparse() ? State.SURVEYING : State.WANTED);
  }

  /** Whether it, or a part of it, is read for a further decision. */
  boolean isCompared() {
    return state == State.COMPARING || state == State.CHECKING;
  }

  /** Begins to read ranges that the receiver has from an interrupted transfer. */
  void beginChecking(List<Range> ranges) {
    moveTo(State.CHECKING);
    checked = new RangeChecksums(ranges);
    unplanned.clear();
    unplanned.addAll(ranges);
  }

  /** Ends comparing or checking: nothing of it counts as read, and it may be planned again. */
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
   * Ranges that the receiver has already, in order: they are not sent. When the digest is made of
   * hashes of all chunks they are read all the same. Before anything is planned.
   */
  void keep(List<Range> ranges) {
    for (Range range : ranges) {
      kept.add(range.start(), range.end());
    }
    isResumed = true;
    plan();
  }

  /** Whether some of its bytes are of an interrupted transfer. */
  public boolean isResumed() {
    return isResumed;
  }

  /** It has changed while it was read, and is copied all the same. */
  void setChange(String how) {
    change = how;
  }

  /** How it has changed while it was read, with its path; empty when it has not. */
  public String change() {
    return change;
  }

  void failReading(ErrorCode cause) {
    readFailure = cause;
  }

  /** Why it could not be read; null unless it could not. */
  ErrorCode readFailure() {
    return readFailure;
  }

  /**
   * Ranges that hold nothing but zeros: they are not sent either.
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

  /** Whether this block is not sent: the receiver has it already, or may have, or it is a hole. */
  boolean isKept(Range block) {
    return isCompared() || kept.contains(block.start(), block.end());
  }

  /** Whether this block holds only zeros, as the file system says. */
  boolean isHole(Range block) {
    return zeros.contains(block.start(), block.end());
  }

  /** Bytes that the receiver has to get. */
  public long toSend() {
    return toSend;
  }

  /**
   * Adds bytes that are written at the receiver.
   *
   * @return how many of them did not count before
   */
  long wrote(long bytes) {
    if (isSettled()) {
      return 0;
    }
    written += bytes;
    return bytes;
  }

  /**
   * It is whole at the receiver, whatever acknowledgements are still on their way.
   *
   * @return how many bytes did not count before
   */
  long wroteAll() {
    return isWanted() ? wrote(toSend - written) : 0;
  }

  /** Whether every byte has been planned for reading. */
  boolean isPlanned() {
    return unplanned.isEmpty();
  }

  /** Where {@link #planBlock} would end the next block. */
  long nextBlockEnd(int blockSize) {
    return endOfBlock(unplanned.peek(), blockSize);
  }

  private static long endOfBlock(Range next, int blockSize) {
    return Math.min(next.end(), next.start() - next.start() % blockSize + blockSize);
  }

  /**
   * The next block to read, which counts as planned from now on. It ends where a block of this
   * length that began at the start of the file would end.
   */
  Range planBlock(int blockSize) {
    Range next = unplanned.poll();
    long end = endOfBlock(next, blockSize);
    if (end < next.end()) {
      unplanned.addFirst(new Range(end, next.end()));
    }
    return new Range(next.start(), end);
  }

  /** Whether every byte that had to be read has been. */
  boolean isRead() {
    if (checked != null) {
      return checked.isComplete();
    }
    boolean hashed = !method.isOfChunks() || (digest != null && digest.isComplete());
    return hasEnded() && read == toSend && hashed;
  }

  /** Accounts one block that was read for the first time. */
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

  /** The hashes of the chunks of a block that was read for the first time. */
  void accountHashes(long offset, byte[] hashes) {
    if (digest == null) {
      digest = new ChunkedDigest(method, size());
    }
    digest.add(offset, hashes);
  }

  /** The digest of a file that is done, as the receiver has it; empty when there is none. */
  public byte[] digestAtReceiver() {
    return digestAtReceiver;
  }

  void setDigestAtReceiver(byte[] digest) {
    digestAtReceiver = digest;
  }

  /** The digest of what was read, which is made of chunks. Once it is read. */
  byte[] digest() {
    return digest.value();
  }

  /** The message about it for the receiver, once it is read. */
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
