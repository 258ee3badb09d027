package io.fdt.plan;

/**
 * The state of a unit, read from the names in a state directory. Immutable.
 *
 * @param attempt the highest that was claimed; 0 for none
 * @param ending of that; null while it runs
 * @param isDone whether any attempt is ok
 * @param failures attempts that failed
 */
public record UnitState(int attempt, Ending ending, boolean isDone, int failures) {
  public static final UnitState NONE = new UnitState(0, null, false, 0);

  /** Whether anybody can claim it at once. */
  public boolean isOpen() {
    return !isDone && (attempt == 0 || ending == Ending.RELEASED);
  }

  public boolean isRunning() {
    return !isDone && attempt > 0 && ending == null;
  }

  public boolean hasFailed() {
    return !isDone && (ending == Ending.FAILED || ending == Ending.PARTIAL);
  }

  /** The state with one more file name. */
  UnitState with(int claimed, Ending ended) {
    boolean isHigher = claimed > attempt;
    boolean isSame = claimed == attempt;
    Ending last = isHigher ? ended : isSame && ended != null ? ended : ending;
    return new UnitState(
        Math.max(attempt, claimed),
        last,
        isDone || ended == Ending.OK,
        failures + (ended == Ending.FAILED ? 1 : 0));
  }
}
