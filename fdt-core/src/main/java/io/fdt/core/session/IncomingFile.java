package io.fdt.core.session;

import io.fdt.core.manifest.Entry;
import io.fdt.core.manifest.RangeSet;

/**
 * One file of the receiver from its place in the manifest to its result, and which ranges of it have arrived.
 *
 * <pre>
 *   PREPARING -> WANTED -> STORING -> settled
 *        '---------'----------'-----> settled (failed)
 * </pre>
 *
 * <p>Not thread-safe: confined to the thread of its {@link ReceiverSession}. What is final may be read anywhere.
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
