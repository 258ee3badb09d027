package io.fdt.plan;

import io.fdt.core.error.FdtException;
import io.fdt.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The progress of a plan. Immutable.
 *
 * @param open units without a worker
 * @param running units that workers have claimed; some of them may be dead
 * @param done complete units
 * @param failed units whose last attempt failed
 * @param bytesDone bytes of the units that are done
 * @param totals of the plan
 * @param lastStep state of the last step: none, open, running, done or failed
 * @param workers workers that are alive: their heartbeat is younger than the takeover time, and
 *     their process has not ended, as far as this machine knows
 * @param exitStatus 0 when everything is done; that of the units that failed if they agree,
 *     otherwise 1; -1 while there is work
 */
public record PlanStatus(
    int open,
    int running,
    int done,
    int failed,
    long bytesDone,
    PlanTotals totals,
    String lastStep,
    int workers,
    int exitStatus) {

  private static final int LISTING_FAILED = 1;

  /** Whether every unit and the last step are done. */
  public boolean isDone() {
    return exitStatus == 0;
  }

  /**
   * Reads the status. Costs one listing for each thousand units, and one file for each failed unit.
   */
  public static PlanStatus of(Plan plan) throws FdtException {
    Claims claims = new Claims(plan.files(), "status");
    long[] bytes = plan.unitBytes();
    int open = 0;
    int running = 0;
    int done = 0;
    long bytesDone = 0;
    Set<Integer> statuses = new HashSet<>();
    BitSet ranges = plan.rangeUnits();
    int failedRanges = 0;
    long failedBytes = 0;
    Map<String, UnitState> states = Map.of();
    for (int number = 0; number < bytes.length; number++) {
      String unit = PlanFiles.name(number);
      if (number == 0 || !PlanFiles.areListedTogether(number - 1, number)) {
        states = claims.list(unit);
      }
      UnitState state = states.getOrDefault(unit, UnitState.NONE);
      if (state.isDone()) {
        done++;
        bytesDone += bytes[number];
        if (plan.rangesBefore(number) > 0) {
          done += failedRanges; // it was copied without them
          bytesDone += failedBytes;
        }
      } else if (state.isOpen()) {
        open++;
      } else if (state.isRunning()) {
        running++;
      } else if (ranges.get(number)) {
        failedRanges++;
        failedBytes += bytes[number];
        continue;
      } else {
        statuses.add(LogReader.exitStatus(plan.files().log(unit, state.attempt())));
      }
      if (!ranges.get(number)) {
        failedRanges = 0;
        failedBytes = 0;
      }
    }
    UnitState last = claims.list(PlanFiles.FINAL).getOrDefault(PlanFiles.FINAL, UnitState.NONE);
    if (last.ending() == UnitEnding.FAILED && !last.isDone()) {
      statuses.add(LogReader.exitStatus(plan.files().log(PlanFiles.FINAL, last.attempt())));
    }
    if (plan.totals().failures() > 0 && !plan.header().hasLastStep()) {
      statuses.add(LISTING_FAILED); // a last step would have met them again
    }
    int failed = bytes.length - open - running - done;
    String lastStep = name(plan, last);
    boolean isOver = open + running == 0 && !lastStep.equals("open") && !lastStep.equals("running");
    int exitStatus = statuses.isEmpty() ? 0 : statuses.size() == 1 ? statuses.iterator().next() : 1;
    return new PlanStatus(
        open,
        running,
        done,
        failed,
        bytesDone,
        plan.totals(),
        lastStep,
        workers(plan),
        isOver ? exitStatus : -1);
  }

  private static String name(Plan plan, UnitState last) {
    if (!plan.header().hasLastStep()) {
      return "none";
    }
    if (last.isDone() || last.ending() == UnitEnding.PARTIAL) {
      return "done";
    }
    return last.isOpen() ? "open" : last.isRunning() ? "running" : "failed";
  }

  private static int workers(Plan plan) throws FdtException {
    Path directory = plan.files().worker("any").getParent();
    if (!Files.exists(directory)) {
      return 0;
    }
    long sinceMillis = System.currentTimeMillis() - plan.header().takeover().toMillis();
    try (Stream<Path> names = Files.list(directory)) {
      return (int)
          names
              .map(path -> path.getFileName().toString())
              .filter(name -> name.endsWith(Heartbeat.SUFFIX) && !name.startsWith("."))
              .map(name -> name.substring(0, name.length() - Heartbeat.SUFFIX.length()))
              .filter(worker -> Heartbeat.isAlive(plan.files(), worker, sinceMillis))
              .count();
    } catch (IOException e) {
      throw PlanFiles.failure("list", directory, e);
    }
  }

  /** The status as a JSON object, on one line. */
  public String json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("units", totals.units());
    json.put("units_open", open);
    json.put("units_running", running);
    json.put("units_done", done);
    json.put("units_failed", failed);
    json.put("files", totals.files());
    json.put("bytes", totals.bytes());
    json.put("bytes_done", bytesDone);
    json.put("problems", totals.problems());
    json.put("last_step", lastStep);
    json.put("workers", workers);
    if (exitStatus >= 0) {
      json.put("exit_status", exitStatus);
    }
    return Json.text(json);
  }
}
