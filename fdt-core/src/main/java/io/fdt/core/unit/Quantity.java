package io.fdt.core.unit;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A number and its unit, as the user wrote them. Immutable.
 *
 * @param text the whole text, for messages
 * @param what the quantity, for messages
 * @param examples valid texts, for messages
 * @param number the number, 0 or more
 * @param unit the text after the number, possibly empty
 */
record Quantity(String text, String what, String examples, BigDecimal number, String unit) {
  private static final Pattern FORM = Pattern.compile("([0-9]+(?:\\.[0-9]+)?) ?([A-Za-z/]*)");
  private static final int MAX_LENGTH = 40;
  private static final BigDecimal LARGEST = BigDecimal.valueOf(Long.MAX_VALUE);

  static Quantity parse(String text, String what, String examples) {
    String trimmed = text.strip();
    Matcher form = FORM.matcher(trimmed);
    if (trimmed.length() > MAX_LENGTH || !form.matches()) {
      throw new IllegalArgumentException(
          "not a " + what + ": '" + text + "' (write it like " + examples + ")");
    }
    return new Quantity(trimmed, what, examples, new BigDecimal(form.group(1)), form.group(2));
  }

  /** The number of these units, rounded down. */
  long times(long unitSize) {
    return times(BigDecimal.valueOf(unitSize));
  }

  /** The number of these units, rounded down. */
  long times(BigDecimal unitSize) {
    BigDecimal product = number.multiply(unitSize).setScale(0, RoundingMode.DOWN);
    if (product.compareTo(LARGEST) > 0) {
      throw new IllegalArgumentException(what + " too large: '" + text + "' (below 8 EiB)");
    }
    return product.longValueExact();
  }

  IllegalArgumentException unknownUnit() {
    return new IllegalArgumentException(
        "unknown unit '" + unit + "' in '" + text + "' (write it like " + examples + ")");
  }
}
