package io.fdt.core.session.receiver;

import io.fdt.core.digest.DigestMethod;
import io.fdt.core.digest.PieceHasher;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.Delta;
import io.fdt.core.model.Range;
import io.fdt.core.model.RangeSet;
import io.fdt.core.session.RangePairs;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.RangeHashes;
import io.fdt.core.wire.control.RangeRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Looks for the bytes of files in older ones (their bases): asks the sender for hashes of pieces,
 * has each piece compared with the base, and asks for the pieces that differ.
 *
 * <pre>
 *   always:  ask for all
 *   auto:    first MiB arrive -> rate of the network -> sample -> worth it? -> ask for all
 *
 *   weak hash of 1 MiB --- equal ----> strong hash --- equal ----> kept
 *        | different                        ^   '-- different -> wanted
 *        v                                  |
 *   weak hashes of 4 KiB --- equal ---------'
 *        |                      ^
 *        | 64 KiB differ        | how far they have moved
 *        |-------------> search of the base ---> not found -> wanted
 *        '-- less differs -> wanted
 * </pre>
 *
 * <p>Pieces are compared where they were, and where {@link MovedPieces} says that others are now.
 *
 * <p>A base may change at any time: equal bytes are those that were read, compared and written.
 *
 * <p>Not thread-safe: confined to its {@link ReceiverMachine}.
 *
 * @param <F> the writer of a file
 */
final class BaseMatcher<F> {
  /** Bytes of all samples of a file. */
  private static final long SAMPLE = 64L << 20;

  /** Bytes of one sample. */
  private static final long ONE_SAMPLE = 4L << 20;

  /** The fewest bytes of a range whose time says how fast hashes are. */
  private static final long TIMED = 256 << 10;

  /** Compared bytes after which the gain is judged again. */
  private static final long JUDGED = 256L << 20;

  /** Bytes compared in small pieces before they are judged. */
  private static final long JUDGED_SMALL = 32L << 20;

  /** The most pieces of a file beyond which it is not cut further; see ReceivedFiles. */
  private static final int MAX_PIECES = 1 << 14;

  /** Ranges of a request that a sender takes before the decision; it sends all others. */
  private static final int MAX_EARLY = 4096;

  /**
   * Samples in a row without a gain after which few files are sampled: one of as many as follow.
   */
  private static final int MISSES = 4;

  private static final int FILES_PER_SAMPLE = 16;

  /** Bytes whose hashes wait for a comparison: twice what a correct sender hashes ahead. */
  private static final long MAX_BUSY = 512L << 20;

  /** The interval in which the rate of the network is measured. */
  private static final long MEASURED_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** The state of one file with a base. */
  private static final class Matching<F> {
    final IncomingFile<F> file;

    /** Ranges whose hashes have not come. */
    final RangeSet asked = new RangeSet();

    /** Comparisons that run. */
    int busy;

    /** Whether only samples are asked for. */
    boolean isSample;

    /** Whether hashes are not worth more. */
    boolean isOver;

    /** Since the last judgement: compared bytes, and equal ones. */
    long compared;

    long equal;

    /** The time of one thread for them, here and at the sender. */
    long nanos;

    long senderNanos;

    /** The highest rates of strong hashes of one range, here and at the sender. */
    double fastest;

    double fastestOfSender;

    /** Bytes compared in small pieces, and equal ones. */
    long small;

    long smallEqual;

    final MovedPieces moved;

    /** Ranges whose small pieces are not compared yet. */
    final RangeSet cut = new RangeSet();

    Matching(IncomingFile<F> file, long baseSize) {
      this.file = file;
      this.moved = new MovedPieces(baseSize);
    }
  }

  private final Delta delta;
  private final DigestMethod method;
  private final ReceivedFiles<F> files;
  private final Consumer<ReceiverAction<F>> actions;
  private final Map<Long, Matching<F>> matchings = new HashMap<>();

  private long busyBytes;

  /** The last samples, as far as none of them was a gain; and files since then. */
  private int misses;

  private int filesSinceMisses;

  /** Bytes per second of the network: the best interval; 0 before the first two. */
  private double networkRate;

  private int intervals;
  private long intervalStart = Long.MIN_VALUE;
  private long intervalBytes;

  /**
   * @param actions takes the actions, in order
   */
  BaseMatcher(
      Delta delta,
      DigestMethod method,
      ReceivedFiles<F> files,
      Consumer<ReceiverAction<F>> actions) {
    this.delta = delta;
    this.method = method;
    this.files = files;
    this.actions = actions;
  }

  /** Handles a wanted file with a base, before its decision is sent. */
  void onWanted(IncomingFile<F> file, long baseSize) {
    Matching<F> matching = new Matching<>(file, baseSize);
    matchings.put(file.id(), matching);
    if (delta == Delta.ALWAYS) {
      ask(matching, missing(matching));
    } else if (networkRate > 0) {
      sample(matching);
    }
  }

  /** Handles hashes that were compared, whatever became of the file. */
  void onCompared(HashedPieces hashes) {
    busyBytes -= costOf(hashes);
  }

  /** The bytes of which hashes are in memory; short ranges have no less. */
  private static long costOf(HashedPieces hashes) {
    return Math.max(PieceHasher.SMALLEST, hashes.range().length());
  }

  /** Handles a file whose outcome is known. */
  void onSettled(IncomingFile<F> file) {
    Matching<F> matching = matchings.remove(file.id());
    if (matching != null) {
      takeWaiting(matching);
    }
  }

  /** Handles a written block. */
  void onArrived(IncomingFile<F> file, long start, int bytes, long nowNanos) {
    if (matchings.isEmpty()) {
      intervalStart = Long.MIN_VALUE;
      intervalBytes = 0;
      return;
    }
    Matching<F> matching = matchings.get(file.id());
    if (matching != null && matching.asked.remove(start, start + bytes) > 0) {
      judge(matching);
    }
    measure(bytes, nowNanos);
  }

  private void measure(long bytes, long nowNanos) {
    if (intervalStart == Long.MIN_VALUE) {
      intervalStart = nowNanos; // the first block: its own time is not known
      return;
    }
    intervalBytes += bytes;
    long passed = nowNanos - intervalStart;
    if (passed >= MEASURED_NANOS) {
      double rate = rate(intervalBytes, passed);
      intervalStart = nowNanos;
      intervalBytes = 0;
      if (++intervals >= 2) {
        boolean isFirst = networkRate == 0;
        networkRate = Math.max(networkRate, rate);
        if (isFirst) {
          matchings.values().forEach(this::sample);
        }
      }
    }
  }

  /** Asks for hashes of a part of the file, unless such samples have been no gain. */
  private void sample(Matching<F> matching) {
    if (misses >= MISSES && filesSinceMisses++ % FILES_PER_SAMPLE > 0) {
      return;
    }
    matching.isSample = true;
    List<Range> missing = missing(matching);
    long all = missing.stream().mapToLong(Range::length).sum();
    if (all <= SAMPLE) {
      ask(matching, missing);
      return;
    }
    List<Range> samples = new ArrayList<>();
    long step = all / (SAMPLE / ONE_SAMPLE);
    long before = 0;
    long next = step / 2; // the sender begins at the start
    for (Range range : missing) {
      while (next < before + range.length()) {
        long start = range.start() + next - before;
        start -= start % PieceHasher.LARGEST;
        long end = Math.min(range.end(), start + ONE_SAMPLE);
        if (start >= range.start() && start < end) {
          samples.add(new Range(start, end));
        }
        next += step;
      }
      before += range.length();
    }
    ask(matching, samples);
  }

  /** The whole pieces of which nothing arrived or was asked for. */
  private List<Range> missing(Matching<F> matching) {
    long size = matching.file.size();
    RangeSet known = matching.file.takenRanges();
    matching.asked.copyTo(known, 0, size);
    int piece = method.isOfChunks() ? PieceHasher.LARGEST : PieceHasher.SMALLEST;
    return known.missing(size).stream()
        .map(gap -> wholePieces(gap, piece, size))
        .filter(range -> range.length() > 0)
        .toList();
  }

  /** The whole pieces of a range, which is then empty if there are none. */
  private static Range wholePieces(Range range, int piece, long size) {
    long start = (range.start() + piece - 1) / piece * piece;
    long end = range.end() == size ? size : range.end() - range.end() % piece;
    return new Range(start, Math.max(start, end));
  }

  /** Handles holes of the source, which are not hashed. */
  void onHoles(IncomingFile<F> file, List<Range> holes) {
    Matching<F> matching = matchings.get(file.id());
    if (matching != null) {
      holes.forEach(hole -> matching.asked.remove(hole.start(), hole.end()));
      judge(matching);
    }
  }

  /** Asks for hashes of large pieces, and of small ones at the ends of what has arrived. */
  private void ask(Matching<F> matching, List<Range> ranges) {
    List<Range> large = new ArrayList<>();
    RangeSet small = new RangeSet();
    for (Range range : ranges) {
      Range whole = wholePieces(range, PieceHasher.LARGEST, matching.file.size());
      small.add(range.start(), range.end());
      if (whole.length() > 0) {
        small.remove(whole.start(), whole.end());
        large.add(whole);
      }
    }
    ask(matching, PieceHasher.SMALLEST, small.ranges());
    ask(matching, PieceHasher.LARGEST, large);
  }

  private void ask(Matching<F> matching, int piece, List<Range> ranges) {
    if (!ranges.isEmpty()) {
      RangeRequest.Builder request = RangeRequest.newBuilder().setId(matching.file.id());
      List<Range> some = ranges.subList(0, Math.min(MAX_EARLY, ranges.size()));
      askFor(matching, request, piece, false, some);
      send(request);
    }
  }

  private void askFor(
      Matching<F> matching,
      RangeRequest.Builder request,
      int piece,
      boolean strong,
      List<Range> ranges) {
    ranges.forEach(range -> matching.asked.add(range.start(), range.end()));
    request.setPiece(piece).setStrong(strong).addAllHash(RangePairs.of(ranges));
  }

  private void send(RangeRequest.Builder request) {
    actions.accept(
        new ReceiverAction.Send<>(Control.newBuilder().setRangeRequest(request.build())));
  }

  /** Handles hashes of the sender. */
  void onHashes(RangeHashes hashes) throws FdtException {
    IncomingFile<F> file = files.wanted(hashes.getId());
    if (file == null) {
      return;
    }
    Matching<F> matching = matchings.get(hashes.getId());
    long start = hashes.getStart();
    long end = hashes.getEnd();
    int piece = hashes.getPiece();
    boolean isRange =
        start >= 0 && start < end && end <= file.size() && end - start <= PieceHasher.LARGEST;
    if (matching == null
        || !isRange
        || !PieceHasher.isPiece(piece)
        || (method.isOfChunks() && hashes.getStrong() && piece < PieceHasher.LARGEST)
        || !method.isCutAt(start, file.size())
        || !method.isCutAt(end, file.size())
        || hashes.getHashes().size()
            != (end - start + piece - 1) / piece * PieceHasher.length(hashes.getStrong())) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "%d bytes of hashes of pieces of %d bytes from %s to %s of file %d, which has %d bytes"
              .formatted(
                  hashes.getHashes().size(),
                  piece,
                  Long.toUnsignedString(start),
                  Long.toUnsignedString(end),
                  file.id(),
                  file.size()));
    }
    if (!matching.asked.contains(start, end)) {
      return; // asked for, and then wanted
    }
    matching.asked.remove(start, end);
    long nanos = TimeUnit.MICROSECONDS.toNanos(Math.max(0, hashes.getMicros()));
    matching.senderNanos += nanos;
    if (hashes.getStrong() && end - start >= TIMED) {
      matching.fastestOfSender = Math.max(matching.fastestOfSender, rate(end - start, nanos));
    }
    MovedPieces moved = matching.moved;
    compare(
        matching,
        new HashedPieces(
            new Range(start, end),
            piece,
            hashes.getStrong(),
            hashes.getHashes(),
            hashes.getStrong() ? List.of(moved.confirmed(start)) : moved.shifts()));
  }

  private void compare(Matching<F> matching, HashedPieces pieces) throws FdtException {
    busyBytes += costOf(pieces);
    if (busyBytes > MAX_BUSY) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "hashes of %d bytes that are not compared yet; at most %d are allowed"
              .formatted(busyBytes, MAX_BUSY));
    }
    files.take(matching.file, pieces.range().start(), pieces.range().end());
    matching.file.beginWork();
    matching.busy++;
    actions.accept(new ReceiverAction.MatchBase<>(matching.file, pieces));
  }

  /**
   * Handles compared pieces.
   *
   * @param found ranges with equal hashes
   * @return the ranges whose digest is to be computed
   */
  List<Range> onMatched(
      IncomingFile<F> file, HashedPieces hashes, List<FoundRange> found, long nanos)
      throws FdtException {
    Matching<F> matching = matchings.get(file.id());
    if (matching == null || file.isSettled()) {
      return List.of();
    }
    matching.busy--;
    matching.nanos += nanos;
    long length = hashes.range().length();
    if (hashes.strong() && length >= TIMED) {
      matching.fastest = Math.max(matching.fastest, rate(length, nanos));
    }
    List<FoundRange> equal =
        found.stream()
            .filter(one -> isCut(file, one.range()))
            .sorted(Comparator.comparingLong(one -> one.range().start()))
            .toList();
    RangeSet different = new RangeSet();
    different.add(hashes.range().start(), hashes.range().end());
    equal.forEach(one -> different.remove(one.range().start(), one.range().end()));
    List<Range> left = different.ranges();
    if (hashes.strong()) {
      onStrong(matching, equal, left);
    } else {
      files.giveBack(file, hashes.range().start(), hashes.range().length());
      onWeak(matching, hashes, equal, left);
    }
    judge(matching);
    return hashes.strong() && method.isOfChunks() ? ranges(equal) : List.of();
  }

  /** Whether a range can be kept: small pieces of chunks only say how far these have moved. */
  private boolean isCut(IncomingFile<F> file, CheckedRange range) {
    return method.isCutAt(range.start(), file.size()) && method.isCutAt(range.end(), file.size());
  }

  private void onStrong(Matching<F> matching, List<FoundRange> equal, List<Range> different) {
    RangeRequest.Builder answer = RangeRequest.newBuilder().setId(matching.file.id());
    for (FoundRange same : equal) {
      files.matched(matching.file, same.range());
      matching.moved.gain(same.range().length());
      matching.equal += same.range().length();
      matching.compared += same.range().length();
    }
    for (Range part : different) {
      files.giveBack(matching.file, part.start(), part.length());
      matching.compared += part.length();
    }
    send(answer.addAllKept(RangePairs.of(ranges(equal))).addAllWanted(RangePairs.of(different)));
  }

  private void onWeak(
      Matching<F> matching, HashedPieces hashes, List<FoundRange> equal, List<Range> different)
      throws FdtException {
    RangeRequest.Builder answer = RangeRequest.newBuilder().setId(matching.file.id());
    if (matching.isOver) {
      send(answer.addAllWanted(RangePairs.of(List.of(hashes.range()))));
      return;
    }
    MovedPieces moved = matching.moved;
    equal.forEach(same -> moved.confirm(rangeOf(same), same.shift()));
    if (!equal.isEmpty()) {
      moved.found(equal.get(equal.size() - 1).shift());
      askFor(matching, answer, PieceHasher.LARGEST, true, ranges(equal));
    }
    List<Range> wanted = new ArrayList<>();
    List<Range> cut = new ArrayList<>();
    boolean isLarge = hashes.piece() > PieceHasher.SMALLEST;
    if (!isLarge) {
      matching.cut.remove(hashes.range().start(), hashes.range().end());
    }
    for (Range part : different) {
      if (moved.isNew(hashes)) {
        compare(matching, hashes.part(part).at(moved.shifts()));
      } else if (isLarge && !moved.isBeyond(part.start()) && isWorthCutting(matching)) {
        cut.add(part);
      } else if (isLarge ? isShiftSought(matching) : moved.isToSearch(part)) {
        HashedPieces pieces = hashes.part(part);
        busyBytes += costOf(pieces);
        moved.await(pieces);
      } else {
        wanted.add(part);
      }
    }
    if (!isLarge) {
      countSmall(matching, equal, wanted);
    }
    matching.compared += lengthOf(wanted);
    answer.addAllWanted(RangePairs.of(wanted));
    if (answer.getHashCount() > 0 || answer.getWantedCount() > 0) {
      send(answer);
    }
    if (!cut.isEmpty()) {
      RangeRequest.Builder smaller = RangeRequest.newBuilder().setId(matching.file.id());
      askFor(matching, smaller, PieceHasher.SMALLEST, false, cut);
      cut.forEach(part -> matching.cut.add(part.start(), part.end()));
      send(smaller);
    }
    search(matching);
  }

  /** Whether a shift may be found for pieces that are beyond the end of the base by the others. */
  private static <F> boolean isShiftSought(Matching<F> matching) {
    return matching.moved.isSearching() || !matching.cut.isEmpty();
  }

  private static <F> void countSmall(
      Matching<F> matching, List<FoundRange> equal, List<Range> different) {
    long same = lengthOf(ranges(equal));
    matching.small += same + lengthOf(different);
    matching.smallEqual += same;
  }

  private void search(Matching<F> matching) throws FdtException {
    ReceiverAction.SearchBase<F> search = matching.moved.nextSearch(matching.file);
    if (search != null) {
      matching.file.beginWork();
      matching.busy++;
      actions.accept(search);
    } else if (!isShiftSought(matching)) {
      endWaiting(matching);
    }
  }

  /** Compares pieces that wait again, if a shift is new to them; has the others sent. */
  private void endWaiting(Matching<F> matching) throws FdtException {
    List<HashedPieces> left = new ArrayList<>();
    for (HashedPieces pieces : takeWaiting(matching)) {
      if (matching.moved.isNew(pieces) && !matching.isOver) {
        compare(matching, pieces.at(matching.moved.shifts()));
      } else {
        left.add(pieces);
      }
    }
    want(matching, left);
  }

  private List<HashedPieces> takeWaiting(Matching<F> matching) {
    List<HashedPieces> waiting = matching.moved.takeWaiting();
    waiting.forEach(this::onCompared);
    return waiting;
  }

  /** Has pieces sent that were not found. */
  private void want(Matching<F> matching, List<HashedPieces> pieces) {
    if (!pieces.isEmpty()) {
      List<Range> wanted =
          pieces.stream()
              .map(HashedPieces::range)
              .sorted(Comparator.comparingLong(Range::start))
              .toList();
      countSmall(matching, List.of(), wanted);
      matching.compared += lengthOf(wanted);
      send(RangeRequest.newBuilder().setId(matching.file.id()).addAllWanted(RangePairs.of(wanted)));
    }
  }

  /** Handles the end of a search. */
  void onSearched(IncomingFile<F> file, OptionalLong shift, long searched) throws FdtException {
    Matching<F> matching = matchings.get(file.id());
    if (matching == null || file.isSettled()) {
      return;
    }
    matching.busy--;
    if (matching.moved.endSearch(shift, searched)) {
      matching.small = 0;
      matching.smallEqual = 0;
    }
    if (matching.moved.goesFarther() && !matching.isOver) {
      search(matching);
    } else {
      endWaiting(matching);
      judge(matching);
    }
  }

  private static List<Range> ranges(List<FoundRange> found) {
    return found.stream().map(BaseMatcher::rangeOf).toList();
  }

  private static Range rangeOf(FoundRange found) {
    return new Range(found.range().start(), found.range().end());
  }

  private static long lengthOf(List<Range> ranges) {
    return ranges.stream().mapToLong(Range::length).sum();
  }

  private static double rate(long bytes, long nanos) {
    return (double) bytes / Math.max(1, nanos) * TimeUnit.SECONDS.toNanos(1);
  }

  /** Whether different pieces are compared again in smaller ones. */
  private boolean isWorthCutting(Matching<F> matching) {
    boolean findsPages = !method.isOfChunks() && matching.smallEqual > matching.small / 16;
    return matching.file.pieces() < MAX_PIECES && (matching.small < JUDGED_SMALL || findsPages);
  }

  /**
   * Goes on, or has the rest sent. With the rates N of the network and R of hashing, a byte costs
   * 1/R to compare, and saves 1/N where it is equal: it pays while the share of equal bytes is
   * above N/R. To begin, N must be below half of R, since both are estimates, and the fastest range
   * of the sample counts, because Java compiles the hashes meanwhile.
   */
  private void judge(Matching<F> matching) {
    boolean isDue =
        matching.isSample
            ? matching.busy == 0 && matching.asked.isEmpty()
            : matching.compared >= JUDGED;
    if (delta == Delta.ALWAYS || !isDue || matching.isOver) {
      return;
    }
    double fastest = Math.min(matching.fastest, matching.fastestOfSender);
    double mean = rate(matching.compared, Math.max(matching.nanos, matching.senderNanos));
    double rate = matching.isSample && fastest > 0 ? fastest : mean;
    double share = (double) matching.equal / Math.max(1, matching.compared);
    double margin = matching.isSample ? 2 : 1;
    boolean pays = networkRate < rate / margin && share > networkRate / rate;
    matching.senderNanos = 0;
    matching.compared = 0;
    matching.equal = 0;
    matching.nanos = 0;
    misses = pays ? 0 : misses + 1;
    if (!pays) {
      matching.isOver = true;
      List<Range> rest = matching.asked.ranges();
      if (!rest.isEmpty()) {
        rest.forEach(range -> matching.asked.remove(range.start(), range.end()));
        send(RangeRequest.newBuilder().setId(matching.file.id()).addAllWanted(RangePairs.of(rest)));
      }
      matching.cut.remove(0, matching.file.size());
      if (!matching.moved.isSearching()) {
        want(matching, takeWaiting(matching));
      }
    } else if (matching.isSample) {
      matching.isSample = false;
      ask(matching, missing(matching));
    }
  }
}
