package io.fdt.core.session.receiver;

import io.fdt.core.digest.PieceHasher;
import io.fdt.core.model.Range;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The content of one file that has moved within its base, and the small pieces that wait for a
 * search of the base.
 *
 * <pre>
 *   file:  |  same  |new|   same, moved    |
 *   base:  |  same  |   same, moved    |       shift = offset in the base - offset in the file
 * </pre>
 *
 * <p>A shift that is found once holds for all that follows, up to the next insertion or removal; so
 * the base is searched for a few pieces only, and no index of it is needed. Each search begins
 * where the last shift leads to, and goes farther after each failure.
 *
 * <p>Not thread-safe: confined to its {@link BaseMatcher}.
 */
final class MovedPieces {
  /** Shifts that are tried for each piece: each costs a read and a hash of the base. */
  private static final int MAX_SHIFTS = 4;

  /** Bytes in a row that differ, from which on they may have moved; less is overwritten. */
  private static final long LEAST_RUN = 64 << 10;

  /** Bytes of the first search: 25 ms. */
  private static final long FIRST_REACH = 8L << 20;

  /** How much farther the next search goes. */
  private static final int FARTHER = 4;

  /** The most bytes of a farther search for each one that waits. */
  private static final int WORTH = 8;

  /** Bytes of all searches without a gain: at most a quarter of the base, within these bounds. */
  private static final long LEAST_CREDIT = 64L << 20;

  private static final long MOST_CREDIT = 512L << 20;

  /** Kept bytes for each byte more. */
  private static final int GAIN = 8;

  private final long baseSize;

  /** The one that was found last is the first. */
  private final List<Long> shifts = new ArrayList<>(List.of(0L));

  private final List<HashedPieces> waiting = new ArrayList<>();

  /** The shifts of ranges whose strong hashes are asked for, by start. */
  private final Map<Long, Long> confirming = new HashMap<>();

  /** Bytes that may be searched before there is a gain. */
  private long credit;

  private long reach = FIRST_REACH;
  private boolean isSearching;

  /**
   * @param baseSize bytes of the base
   */
  MovedPieces(long baseSize) {
    this.baseSize = baseSize;
    this.credit = Math.max(LEAST_CREDIT, Math.min(MOST_CREDIT, baseSize / 4));
  }

  /** The shifts to try, in order. */
  List<Long> shifts() {
    return List.copyOf(shifts);
  }

  /** Records that pieces were found at a shift. */
  void found(long shift) {
    shifts.remove(shift);
    shifts.add(0, shift);
    if (shifts.size() > MAX_SHIFTS) {
      shifts.remove(MAX_SHIFTS);
    }
  }

  /** The shift of a range whose strong hash is asked for is remembered. */
  void confirm(Range range, long shift) {
    confirming.put(range.start(), shift);
  }

  /** Takes the shift of a range whose strong hash has come. */
  long confirmed(long start) {
    Long shift = confirming.remove(start);
    return shift == null ? shifts.get(0) : shift;
  }

  /** Counts kept bytes. */
  void gain(long bytes) {
    credit = Math.min(MOST_CREDIT, credit + bytes / GAIN);
  }

  /** Whether the base ends before this offset, by the last shift. */
  boolean isBeyond(long start) {
    return start + shifts.get(0) >= baseSize;
  }

  boolean isSearching() {
    return isSearching;
  }

  /** Whether a different range of small pieces waits for a search. */
  boolean isToSearch(Range different) {
    boolean isDue =
        different.length() >= LEAST_RUN && !isBeyond(different.start()) && credit >= FIRST_REACH;
    return isSearching || isDue;
  }

  /** Whether pieces were not compared at each shift. */
  boolean isNew(HashedPieces pieces) {
    return !pieces.shifts().containsAll(shifts);
  }

  /** Adds pieces that wait for a search, or for the end of the one that runs. */
  void await(HashedPieces pieces) {
    waiting.add(pieces);
  }

  /** Takes the pieces that wait. */
  List<HashedPieces> takeWaiting() {
    List<HashedPieces> pieces = List.copyOf(waiting);
    waiting.clear();
    return pieces;
  }

  /** The search that is to run now; null for none. */
  <F> ReceiverAction.SearchBase<F> nextSearch(IncomingFile<F> file) {
    List<HashedPieces> small =
        waiting.stream().filter(one -> one.piece() == PieceHasher.SMALLEST).toList();
    if (isSearching || small.isEmpty()) {
      return null;
    }
    isSearching = true;
    long last = small.stream().mapToLong(one -> one.range().start()).max().orElse(0);
    return new ReceiverAction.SearchBase<>(
        file, small, last + shifts.get(0), Math.min(reach, credit));
  }

  /**
   * Ends a search.
   *
   * @return whether a new shift was found
   */
  boolean endSearch(OptionalLong shift, long searched) {
    isSearching = false;
    credit -= searched;
    long waits = waiting.stream().mapToLong(pieces -> pieces.range().length()).sum();
    boolean isWorthIt = waits * WORTH >= reach * FARTHER && credit >= FIRST_REACH;
    boolean isFarther = shift.isEmpty() && searched >= reach && isWorthIt;
    reach = isFarther ? reach * FARTHER : FIRST_REACH;
    boolean isNew = shift.isPresent() && !shifts.contains(shift.getAsLong());
    shift.ifPresent(this::found);
    return isNew;
  }

  /** Whether the pieces that wait are searched for again. */
  boolean goesFarther() {
    return reach > FIRST_REACH;
  }
}
