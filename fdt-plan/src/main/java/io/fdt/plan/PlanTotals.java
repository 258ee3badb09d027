package io.fdt.plan;

import io.fdt.core.error.FdtException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Totals of the listing of the source. Immutable.
 *
 * @param units units of the plan
 * @param files files and links
 * @param bytes bytes of the files
 * @param problems entries that could not be listed, or are never copied
 * @param failures entries that could not be listed; a plan without a last step, which would report
 *     them again, then counts as failed
 */
public record PlanTotals(int units, long files, long bytes, long problems, long failures) {
  static PlanTotals decode(byte[] bytes, String where) throws FdtException {
    Map<String, Object> json = PlanLine.parse(new String(bytes, StandardCharsets.UTF_8), where);
    long units = count(json, "units", where);
    if (units > Integer.MAX_VALUE) {
      throw PlanLine.damaged(where, "units: " + units, null);
    }
    return new PlanTotals(
        (int) units,
        count(json, "files", where),
        count(json, "bytes", where),
        count(json, "problems", where),
        count(json, "failures", where));
  }

  private static long count(Map<String, Object> json, String name, String where)
      throws FdtException {
    long number = PlanLine.number(json, name, where);
    if (number < 0) {
      throw PlanLine.damaged(where, name + ": " + number, null);
    }
    return number;
  }
}
