package io.fdt.plan;

/**
 * The state of a unit, read from the names in a state directory. Immutable.
 *
 * @param attempt the highest claimed one; 0 for none
 * @param ending of that attempt; null while it runs
 * @param isDone whether any attempt is ok
 * @param failures attempts that failed
 */
public record UnitState(int attempt, UnitEnding ending, boolean isDone, int failures) {
  public static final UnitState NONE = new UnitState(0, null, false, 0);

  /** Whether any worker can claim it at once. */
  public boolean isOpen() {
    return !isDone && (attempt == 0 || ending == UnitEnding.RELEASED);
  }

  public boolean isRunning() {
    return !isDone && attempt > 0 && ending == null;
  }

  public boolean hasFailed() {
    return !isDone && (ending == UnitEnding.FAILED || ending == UnitEnding.PARTIAL);
  }

  /** The state with one more file name. */
  UnitState with(int claimed, UnitEnding ended) {
    boolean isHigher = claimed > attempt;
    boolean isSame = claimed == attempt;
    UnitEnding last = isHigher ? ended : isSame && ended != null ? ended : ending;
    return new UnitState(
        Math.max(attempt, claimed),
        last,
        isDone || ended == UnitEnding.OK,
        failures + (ended == UnitEnding.FAILED ? 1 : 0));
  }
}
