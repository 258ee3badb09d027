package io.fdt.plan;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.json.Json;
import io.fdt.json.JsonException;
import java.util.Map;

/** A line of a plan's files: one object of JSON. Stateless; any thread. */
final class PlanLine {
  private PlanLine() {}

  /**
   * The object of a line.
   *
   * @param where for the message
   * @throws FdtException IO for an invalid line
   */
  static Map<String, Object> parse(String line, String where) throws FdtException {
    try {
      return Json.parseObject(line);
    } catch (JsonException e) {
      throw damaged(where, e.getMessage(), e);
    }
  }

  static String text(Map<String, Object> object, String name, String where) throws FdtException {
    if (object.get(name) instanceof String text) {
      return text;
    }
    throw damaged(where, "'" + name + "' is missing", null);
  }

  static long number(Map<String, Object> object, String name, String where) throws FdtException {
    if (object.get(name) instanceof Long number) {
      return number;
    }
    throw damaged(where, "'" + name + "' is missing", null);
  }

  /** The error about a damaged file of a plan. */
  static FdtException damaged(String where, String reason, Throwable cause) {
    return new FdtException(
        ErrorCode.IO,
        where
            + " is damaged ("
            + reason
            + "): plan again in another directory; what is copied stays unchanged",
        cause);
  }
}
