package io.fdt.plan;

import io.fdt.core.error.FdtException;
import io.fdt.json.Json;
import java.time.Instant;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * One report of all units, combined from the logs of their attempts, in the form of {@code copy
 * --report}. Memory: the outcomes of one unit. Not thread-safe.
 */
public final class PlanReport {
  /** Figures that are summed over all attempts. */
  private static final List<String> SUMS =
      List.of(
          "bytes",
          "bytes_kept",
          "bytes_matched",
          "wire_bytes",
          "blocks_repeated",
          "links",
          "files_replaced",
          "links_replaced");

  /** Figures known only to the last step. */
  private static final List<String> OF_LAST_STEP = List.of("directories", "deleted");

  private final Plan plan;
  private final Consumer<String> output;
  private final Map<String, Long> sums = new LinkedHashMap<>();
  private final Map<String, Long> fates = new LinkedHashMap<>();
  private long bytesDue;
  private double seconds;
  private String checksum = "";

  /** Bytes written by the units of the current cut file's ranges. */
  private long bytesOfRanges;

  /** The last file's line, held back until a comma is needed. */
  private String held = "";

  private PlanReport(Plan plan, Consumer<String> output) {
    this.plan = plan;
    this.output = output;
  }

  /** The outcome of one file. */
  private record Fate(String name, String line, Map<String, Object> event) {}

  /**
   * Writes the report.
   *
   * @param start the request, a JSON object
   * @param output takes lines without their ends
   */
  public static void write(Plan plan, String start, Consumer<String> output) throws FdtException {
    PlanReport report = new PlanReport(plan, output);
    output.accept("{\"start\":" + start + ",");
    output.accept("\"files\":[");
    Claims claims = new Claims(plan.files(), "report");
    BitSet ranges = plan.rangeUnits();
    long[] unitBytes = plan.unitBytes();
    Map<String, UnitState> states = Map.of();
    for (int number = 0; number < plan.totals().units(); number++) {
      String unit = PlanFiles.name(number);
      if (number == 0 || !PlanFiles.areListedTogether(number - 1, number)) {
        states = claims.list(unit);
      }
      UnitState state = states.getOrDefault(unit, UnitState.NONE);
      if (ranges.get(number)) {
        report.addRange(unit, state, unitBytes[number]);
      } else {
        report.add(unit, state);
        report.bytesOfRanges = 0;
      }
    }
    report.add(
        PlanFiles.FINAL,
        claims.list(PlanFiles.FINAL).getOrDefault(PlanFiles.FINAL, UnitState.NONE));
    if (!report.held.isEmpty()) {
      output.accept(report.held);
    }
    output.accept("],");
    output.accept("\"summary\":" + report.summary() + "}");
  }

  /**
   * Adds the figures of a range; the outcome is that of the whole file's unit.
   *
   * @param length of the range, bytes
   */
  private void addRange(String unit, UnitState state, long length) throws FdtException {
    long[] written = new long[1];
    for (int attempt = 1; attempt <= state.attempt(); attempt++) {
      LogReader.read(
          plan.files().log(unit, attempt),
          (line, event) -> {
            if ("summary".equals(event.get("event"))) {
              sum(event, false);
              boolean isWhole = numberOf(event, "files_done") > 0; // holes are no bytes
              written[0] += isWhole ? length : (long) numberOf(event, "bytes");
            }
          });
    }
    bytesOfRanges += Math.min(length, written[0]);
  }

  private void add(String unit, UnitState state) throws FdtException {
    Map<Object, Fate> files = new LinkedHashMap<>();
    for (int attempt = 1; attempt <= state.attempt(); attempt++) {
      boolean isLast = attempt == state.attempt();
      LogReader.read(
          plan.files().log(unit, attempt),
          (line, event) -> {
            if ("summary".equals(event.get("event"))) {
              sum(event, unit.equals(PlanFiles.FINAL));
              // Bytes written by ranges of this plan do not count as kept from earlier transfers.
              long kept = (long) numberOf(event, "bytes_kept");
              sums.merge("bytes_kept", -Math.min(kept, bytesOfRanges), Long::sum);
              if (isLast) {
                sums.merge("bytes_failed", (long) numberOf(event, "bytes_failed"), Long::sum);
              }
              if (isLast && state.hasFailed() && event.get("code") instanceof String) {
                files.put(line, new Fate("error", error(event), Map.of()));
              }
            } else if ("file".equals(event.get("event"))) {
              remember(files, line, event, state.isDone());
            } else if ("deleted".equals(event.get("event"))) {
              files.put(line, new Fate("deleted", line, event));
            }
          });
    }
    files.values().forEach(this::addFile);
  }

  /** The failure of a whole attempt, as an event. */
  private static String error(Map<String, Object> summary) {
    Map<String, Object> error = new LinkedHashMap<>();
    error.put("event", "error");
    for (String name : List.of("time", "code", "retry", "message")) {
      error.put(name, summary.getOrDefault(name, ""));
    }
    return Json.text(error);
  }

  /**
   * Records a file, which may be unchanged because an earlier attempt copied it. In a finished unit
   * no file has failed: a concurrent attempt only found it in use.
   */
  private static void remember(
      Map<Object, Fate> files, String line, Map<String, Object> event, boolean isDone) {
    Object path = event.getOrDefault("path_bytes", event.getOrDefault("path", line));
    String name = String.valueOf(event.get("fate"));
    Fate before = files.get(path);
    boolean isOlderTrue =
        before != null
            && ((before.name().equals("done") && name.equals("unchanged"))
                || (isDone && isThere(before.name()) && name.equals("failed")));
    if (!isOlderTrue) {
      files.put(path, new Fate(name, line, event));
    }
  }

  private static boolean isThere(String fate) {
    return fate.equals("done") || fate.equals("unchanged");
  }

  private void addFile(Fate fate) {
    fates.merge(fate.name(), 1L, Long::sum);
    if (fate.event().get("bytes_due") instanceof Long due) {
      bytesDue += due;
    }
    if (!held.isEmpty()) {
      output.accept(held + ",");
    }
    held = fate.line();
  }

  private void sum(Map<String, Object> summary, boolean isLastStep) {
    for (String name : SUMS) {
      sums.merge(name, (long) numberOf(summary, name), Long::sum);
    }
    seconds += numberOf(summary, "elapsed_seconds");
    if (summary.get("checksum") instanceof String construction && !construction.isEmpty()) {
      checksum = construction;
    }
    if (isLastStep) {
      OF_LAST_STEP.forEach(name -> sums.put(name, (long) numberOf(summary, name)));
    }
  }

  private static double numberOf(Map<String, Object> summary, String name) {
    return summary.get(name) instanceof Number number ? number.doubleValue() : 0;
  }

  private String summary() throws FdtException {
    PlanStatus status = PlanStatus.of(plan);
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("event", "summary");
    json.put("time", Instant.now().toString());
    json.put("exit_status", Math.max(status.exitStatus(), status.exitStatus() < 0 ? 1 : 0));
    json.put("session", "");
    json.put("bytes", sumOf("bytes"));
    json.put("bytes_kept", sumOf("bytes_kept"));
    json.put("bytes_matched", sumOf("bytes_matched"));
    json.put("bytes_due", bytesDue);
    json.put("wire_bytes", sumOf("wire_bytes"));
    json.put("files_done", fates.getOrDefault("done", 0L));
    json.put("files_unchanged", fates.getOrDefault("unchanged", 0L));
    json.put("files_due", fates.getOrDefault("due", 0L));
    long unlisted = plan.header().hasLastStep() ? 0 : plan.totals().failures();
    json.put("files_failed", fates.getOrDefault("failed", 0L) + unlisted);
    json.put("files_replaced", sumOf("files_replaced"));
    json.put("bytes_failed", sumOf("bytes_failed"));
    json.put("directories", sumOf("directories"));
    json.put("links", sumOf("links"));
    json.put("links_replaced", sumOf("links_replaced"));
    json.put("skipped", fates.getOrDefault("skipped", 0L));
    json.put("deleted", sumOf("deleted"));
    json.put("blocks_repeated", sumOf("blocks_repeated"));
    json.put("checksum", checksum);
    json.put("elapsed_seconds", Math.round(seconds * 1000) / 1000.0);
    return Json.text(json);
  }

  private long sumOf(String name) {
    return sums.getOrDefault(name, 0L);
  }
}
