package io.fdt.core.session;

import io.fdt.core.manifest.CheckedRange;
import io.fdt.core.manifest.Entry;
import io.fdt.core.manifest.RangeSet;
import io.fdt.core.wire.Crc32cCombine;
import java.util.List;

/**
 * One file of the receiver from its place in the manifest to its result, and which ranges of it
 * have arrived.
 *
 * <pre>
 *   PREPARING -> WANTED -> STORING -> settled
 *        '---------'----------'-----> settled (failed)
 * </pre>
 *
 * <p>Not thread-safe: confined to the thread of its {@link ReceiverSession}. What is final may be
 * read anywhere.
 *
 * @param <F> what writes the file; this package only keeps it
 */
public final class IncomingFile<F> {
  enum State {
    /** Its place at the destination is being looked at. */
    PREPARING,
    /** Blocks may come. */
    WANTED,
    /** Everything is written and verified; it is getting its final name. */
    STORING,
    /** Its fate is known. */
    SETTLED
  }

  private final Entry entry;
  private final RangeSet taken = new RangeSet();
  private final RangeSet written = new RangeSet();
  private State state = State.PREPARING;
  private int crc;
  private long keptBytes;
  private int keptCrc;
  private boolean ended;
  private int expectedCrc;
  private F handle;

  IncomingFile(Entry entry) {
    this.entry = entry;
  }

  public Entry entry() {
    return entry;
  }

  public long id() {
    return entry.id();
  }

  public long size() {
    return entry.size();
  }

  /** What the engine writes it with; null until it has set it. */
  public F handle() {
    return handle;
  }

  public void setHandle(F handle) {
    this.handle = handle;
  }

  /** Whether its fate is known. */
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
          case PREPARING -> next == State.WANTED || next == State.SETTLED;
          case WANTED -> next == State.STORING || next == State.SETTLED;
          case STORING -> next == State.SETTLED;
          case SETTLED -> false;
        };
    if (!allowed) {
      throw new IllegalStateException("file " + id() + " cannot go from " + state + " to " + next);
    }
    state = next;
  }

  /** Ranges that an earlier transfer wrote; to be told once, before any block comes. */
  void keep(List<CheckedRange> ranges) {
    for (CheckedRange range : ranges) {
      taken.add(range.start(), range.end());
      written.add(range.start(), range.end());
      keptBytes += range.length();
      keptCrc ^= Crc32cCombine.shift(range.crc(), size() - range.end());
    }
  }

  /** Bytes that need not be sent. */
  public long keptBytes() {
    return keptBytes;
  }

  /** Checksum of the whole file, once it is complete. */
  public int wholeCrc() {
    return crc ^ keptCrc;
  }

  /** Pieces that what has come so far is in; grows when blocks come out of order. */
  int pieces() {
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

  /** Whether all of a range has been claimed. */
  boolean hasTaken(long start, long end) {
    return taken.contains(start, end);
  }

  /** A claimed range is written; its checksum is shifted to its place in the file. */
  void wrote(long start, long end, int shiftedCrc) {
    written.add(start, end);
    crc ^= shiftedCrc;
  }

  void end(int expectedCrc) {
    this.ended = true;
    this.expectedCrc = expectedCrc;
  }

  /** Whether all of it is written and the sender has said what it should be. */
  boolean isComplete() {
    return ended && written.covered() == size();
  }

  boolean isVerified() {
    return crc == expectedCrc;
  }

  int crc() {
    return crc;
  }

  int expectedCrc() {
    return expectedCrc;
  }
}
