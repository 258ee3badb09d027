package io.fdt.core.session;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Range;
import java.util.ArrayList;
import java.util.List;

/** Ranges of a file in messages: pairs of start and end. Pure. */
public final class RangePairs {
  private RangePairs() {}

  /** The values of a message for these ranges. */
  public static List<Long> of(List<Range> ranges) {
    List<Long> values = new ArrayList<>(2 * ranges.size());
    for (Range range : ranges) {
      values.add(range.start());
      values.add(range.end());
    }
    return values;
  }

  /**
   * The ranges in a message.
   *
   * @param size bytes of the file
   * @throws FdtException PROTOCOL unless they are in order, separate, not empty, and in the file
   */
  public static List<Range> read(List<Long> values, long id, long size) throws FdtException {
    if (values.size() % 2 != 0) {
      throw new FdtException(
          ErrorCode.PROTOCOL, "%d values for ranges of file %d".formatted(values.size(), id));
    }
    List<Range> ranges = new ArrayList<>(values.size() / 2);
    long last = 0;
    for (int i = 0; i < values.size(); i += 2) {
      long start = values.get(i);
      long end = values.get(i + 1);
      if (start < last || end <= start || end > size) {
        throw new FdtException(
            ErrorCode.PROTOCOL,
            "range %s to %s of file %d, which has %d bytes, after %d"
                .formatted(
                    Long.toUnsignedString(start), Long.toUnsignedString(end), id, size, last));
      }
      ranges.add(new Range(start, end));
      last = end;
    }
    return ranges;
  }
}
