package io.fdt.plan;

import io.fdt.core.error.FdtException;
import java.util.List;

/**
 * Records the results of units that were copied without a worker, so that {@link PlanReport} and
 * {@link PlanStatus} include them. Any thread.
 */
public final class UnitRecord {
  private final Plan plan;
  private final Claims claims;

  /** Records in a plan without workers. */
  public UnitRecord(Plan plan) {
    this.plan = plan;
    this.claims = new Claims(plan.files(), Heartbeat.newName());
  }

  /**
   * Records a unit.
   *
   * @param events of its files, and the summary
   * @throws FdtException it cannot be written
   */
  public void unit(int number, List<String> events, boolean isOk) throws FdtException {
    write(PlanFiles.name(number), events, isOk ? UnitEnding.OK : UnitEnding.FAILED);
  }

  /**
   * Records the last step.
   *
   * @param isPartial whether nothing was deleted because a unit had failed
   */
  public void lastStep(List<String> events, boolean isOk, boolean isPartial) throws FdtException {
    UnitEnding ending = isPartial ? UnitEnding.PARTIAL : UnitEnding.OK;
    write(PlanFiles.FINAL, events, isOk ? ending : UnitEnding.FAILED);
  }

  private void write(String unit, List<String> events, UnitEnding ending) throws FdtException {
    int attempt = claims.list(unit).getOrDefault(unit, UnitState.NONE).attempt() + 1;
    if (!claims.claim(unit, attempt)) {
      throw PlanLine.damaged(plan.directory().toString(), "another process works on it", null);
    }
    try (UnitLog log = UnitLog.create(plan.files().log(unit, attempt))) {
      for (String event : events.subList(0, events.size() - 1)) {
        log.add(event);
      }
      log.end(events.get(events.size() - 1));
    }
    claims.end(unit, attempt, ending);
  }
}
