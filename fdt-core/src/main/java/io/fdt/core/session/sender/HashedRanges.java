package io.fdt.core.session.sender;

import io.fdt.core.digest.PieceHasher;
import io.fdt.core.model.Range;
import io.fdt.core.model.RangeSet;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The ranges of one file that the receiver compares with the file that it has: they are hashed, and
 * wait for the receiver's answer.
 *
 * <pre>
 *   asked -> due -> hashed -> answered: kept, wanted, or asked again, otherwise
 * </pre>
 *
 * <p>Not thread-safe: confined to its {@link OutgoingFile}.
 */
public final class HashedRanges {
  /** A range to hash, with the size of its pieces, and by which hash. */
  public record Part(Range range, int piece, boolean strong) {
    Part of(long start, long end) {
      return new Part(new Range(start, end), piece, strong);
    }
  }

  private final HashWindow window;

  /** Ranges that were asked for before reading is planned. */
  private final List<Part> early = new ArrayList<>();

  private final ArrayDeque<Part> due = new ArrayDeque<>();

  /** The ranges that are due. */
  private final RangeSet dueRanges = new RangeSet();

  /** The ranges without an answer. */
  private final RangeSet open = new RangeSet();

  /** Bytes of them that are not due any more. */
  private long hashed;

  /** Bytes that were asked for so far, again and again. */
  private long asked;

  /** Whether {@link #due} holds ranges that are not in {@link #dueRanges}. */
  private boolean hasAnswered;

  private boolean hasBegun;

  HashedRanges(HashWindow window) {
    this.window = window;
  }

  /** Keeps what is asked for before reading is planned. */
  void addEarly(List<Part> parts) {
    early.addAll(parts);
  }

  /** Takes what was asked for before reading is planned. */
  List<Part> takeEarly() {
    List<Part> parts = List.copyOf(early);
    early.clear();
    return parts;
  }

  /** Adds a range; one that is hashed again goes before others. */
  void add(Part part, boolean isAgain) {
    if (isAgain) {
      due().addFirst(part);
    } else {
      due().addLast(part);
    }
    asked += part.range().length();
    dueRanges.add(part.range().start(), part.range().end());
    open.add(part.range().start(), part.range().end());
  }

  /** The number of ranges. */
  int pieces() {
    return early.size() + due().size() + open.count();
  }

  /** Bytes that were asked for so far, again and again. */
  long asked() {
    return asked;
  }

  /** The ranges that are due, without those that one message has answered. */
  private ArrayDeque<Part> due() {
    if (hasAnswered) {
      hasAnswered = false;
      List<Part> all = List.copyOf(due);
      due.clear();
      for (Part part : all) {
        RangeSet left = new RangeSet();
        dueRanges.copyTo(left, part.range().start(), part.range().end());
        left.ranges().forEach(range -> due.add(part.of(range.start(), range.end())));
      }
    }
    return due;
  }

  /** Whether a range is due. */
  boolean isDue() {
    return !dueRanges.isEmpty();
  }

  /** Whether a range was hashed. */
  boolean hasBegun() {
    return hasBegun;
  }

  /** Whether a range can be hashed now. */
  boolean hasNext() {
    return isDue() && window.hasRoom() && (hasBegun || window.hasPlace());
  }

  /** The next range to hash, at most {@link PieceHasher#LARGEST} bytes. */
  Part next() {
    Part first = due().poll();
    long start = first.range().start();
    long end =
        Math.min(first.range().end(), start - start % PieceHasher.LARGEST + PieceHasher.LARGEST);
    if (end < first.range().end()) {
      due.addFirst(first.of(end, first.range().end()));
    }
    dueRanges.remove(start, end);
    count(end - start);
    if (!hasBegun) {
      hasBegun = true;
      window.addFiles(1);
    }
    return first.of(start, end);
  }

  private void count(long bytes) {
    hashed += bytes;
    window.add(bytes);
  }

  /** Whether all of a range was given to be hashed, and has no answer. */
  boolean isOpen(Range range) {
    return open.contains(range.start(), range.end())
        && !dueRanges.intersects(range.start(), range.end());
  }

  /** Takes out the part of a range that has no answer; returns it. */
  List<Range> answer(Range range) {
    RangeSet answered = new RangeSet();
    open.copyTo(answered, range.start(), range.end());
    for (Range part : answered.ranges()) {
      open.remove(part.start(), part.end());
      long notHashed = dueRanges.remove(part.start(), part.end());
      count(notHashed - part.length());
      hasAnswered |= notHashed > 0;
    }
    return answered.ranges();
  }

  /** The outcome of the file is known. */
  void end() {
    count(-hashed);
    window.addFiles(hasBegun ? -1 : 0);
    hasBegun = false;
    due.clear();
    dueRanges.remove(0, Long.MAX_VALUE);
  }
}
