package io.fdt.webdav;

import io.fdt.core.model.Range;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The ranges of a request for a file (RFC 9110, section 14). Pure. */
final class Ranges {
  /** Enough for vector reads of analysis programs, whose header has as many at most. */
  static final int MOST = 1024;

  private static final Pattern RANGE = Pattern.compile("([0-9]{0,18})-([0-9]{0,18})");

  private Ranges() {}

  /**
   * Reads a Range header. One of another unit, one that is not valid, and one that asks for more
   * than the file (many or overlapping ranges) is ignored: the answer is the whole file.
   *
   * @param size of the file
   * @return empty for the whole file
   * @throws HttpRefusal 416 when no range is within the file
   */
  static List<Range> of(String header, long size) throws HttpRefusal {
    String text = header.strip().toLowerCase(Locale.ROOT);
    if (!text.startsWith("bytes=")) {
      return List.of();
    }
    List<Range> ranges = new ArrayList<>();
    long left = size;
    boolean isValid = false;
    for (String part : text.substring("bytes=".length()).split(",", MOST + 1)) {
      Matcher range = RANGE.matcher(part.strip());
      if (!range.matches() || (range.group(1).isEmpty() && range.group(2).isEmpty())) {
        return List.of();
      }
      isValid = true;
      long first;
      long end;
      if (range.group(1).isEmpty()) {
        first = Math.max(0, size - Long.parseLong(range.group(2)));
        end = size;
      } else {
        first = Long.parseLong(range.group(1));
        long last = range.group(2).isEmpty() ? Long.MAX_VALUE - 1 : Long.parseLong(range.group(2));
        if (last < first) {
          return List.of();
        }
        end = Math.min(size, last + 1);
      }
      if (first < end) {
        ranges.add(new Range(first, end));
        left -= end - first;
      }
    }
    if (isValid && ranges.isEmpty()) {
      throw new HttpRefusal(416, "no range is within the file of %d bytes".formatted(size))
          .with("Content-Range", "bytes */" + size);
    }
    return left < 0 || ranges.size() > MOST ? List.of() : List.copyOf(ranges);
  }

  /** The value of Content-Range. */
  static String content(Range range, long size) {
    return "bytes %d-%d/%d".formatted(range.start(), range.end() - 1, size);
  }
}
