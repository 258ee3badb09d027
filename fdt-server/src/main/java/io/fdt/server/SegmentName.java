package io.fdt.server;

import java.util.Comparator;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a file of the spool that is of use to another process: with bytes of a data
 * connection in which frames can be found. Files of one chain with consecutive numbers follow each
 * other without a gap. Immutable; the newer ones are the greater ones.
 *
 * <pre>
 *   owner (16) - target (16) - chain (16) - number (8) - first frame (8)      in hexadecimal digits
 * </pre>
 *
 * @param ends whose bytes they are
 * @param chain number of the direction of a connection, which no other one has had
 * @param number of the file in its chain
 * @param firstFrame where the first frame begins that begins in the file; it may be behind its end
 */
record SegmentName(SpoolEnds ends, long chain, int number, int firstFrame)
    implements Comparable<SegmentName> {
  private static final Pattern FORM =
      Pattern.compile(
          "([0-9a-f]{16})-([0-9a-f]{16})-([0-3][0-9a-f]{15})-([0-7][0-9a-f]{7})-([0-7][0-9a-f]{7})");

  private static final Comparator<SegmentName> ORDER =
      Comparator.comparingLong(SegmentName::chain).thenComparingInt(SegmentName::number);

  /** Empty for the name of another file. */
  static Optional<SegmentName> of(String name) {
    Matcher parts = FORM.matcher(name);
    return parts.matches()
        ? Optional.of(
            new SegmentName(
                new SpoolEnds(parts.group(1), parts.group(2)),
                HexFormat.fromHexDigitsToLong(parts.group(3)),
                HexFormat.fromHexDigits(parts.group(4)),
                HexFormat.fromHexDigits(parts.group(5))))
        : Optional.empty();
  }

  /** Whether its bytes follow those of another one without a gap. */
  boolean follows(SegmentName other) {
    return chain == other.chain && number == other.number + 1;
  }

  @Override
  public int compareTo(SegmentName other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return "%s-%s-%016x-%08x-%08x"
        .formatted(ends.owner(), ends.target(), chain, number, firstFrame);
  }
}
