package io.fdt.plan;

import io.fdt.core.error.FdtException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * What the listing of the source came to. Immutable.
 *
 * @param units units of the plan
 * @param files files and links
 * @param bytes bytes of the files
 * @param problems what could not be listed, or is never copied
 */
public record PlanTotals(int units, long files, long bytes, long problems) {
  static PlanTotals decode(byte[] bytes, String where) throws FdtException {
    Map<String, Object> json = Json.parse(new String(bytes, StandardCharsets.UTF_8), where);
    return new PlanTotals(
        Math.toIntExact(Json.number(json, "units", where)),
        Json.number(json, "files", where),
        Json.number(json, "bytes", where),
        Json.number(json, "problems", where));
  }
}
