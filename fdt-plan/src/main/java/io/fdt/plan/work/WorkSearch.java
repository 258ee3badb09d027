package io.fdt.plan.work;

import io.fdt.core.error.FdtException;
import io.fdt.plan.Claims;
import io.fdt.plan.Heartbeat;
import io.fdt.plan.Plan;
import io.fdt.plan.PlanFiles;
import io.fdt.plan.UnitEnding;
import io.fdt.plan.UnitState;
import io.fdt.plan.WorkOrder;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Finds the next unit for a worker, and claims it. Not thread-safe.
 *
 * <p>Units that are free are tried in the order of {@link WorkOrder}; the listed states are cached
 * until a claim fails or all units were tried.
 */
public final class WorkSearch {
  record Found(String unit, int attempt, boolean isPartial) {
    boolean isLastStep() {
      return unit.equals(PlanFiles.FINAL);
    }
  }

  private final Plan plan;
  private final Claims claims;
  private final int[] order;
  private final BitSet ranges;
  private final WorkerWatch watch;
  private final Retries retries;
  private final WorkerListener listener;
  private final Map<String, Map<String, UnitState>> known = new HashMap<>();

  /** Units claimed by this worker, whose failures are not from before its start. */
  private final Set<String> claimed = new HashSet<>();

  /** The position in the order before which no unit is free. */
  private int position;

  private int ended;
  private int failed;
  private boolean isFirstLook = true;
  private boolean isOver;

  public WorkSearch(Plan plan, String worker, WorkerOptions options, WorkerListener listener) {
    this.plan = plan;
    this.claims = new Claims(plan.files(), worker);
    this.order = WorkOrder.of(plan.unitBytes(), options.index(), options.count());
    this.ranges = plan.rangeUnits();
    this.watch = new WorkerWatch(plan.header().takeover().toNanos());
    this.retries = new Retries(options.attempts());
    this.listener = listener;
  }

  Claims claims() {
    return claims;
  }

  /** Whether everything had ended at the last search. */
  boolean isOver() {
    return isOver;
  }

  /** Whether only units of other workers were left at the last search. */
  boolean isIdle() {
    return position == order.length;
  }

  /**
   * Claims a unit; empty when there is none now.
   *
   * @param mayEnd whether this worker has no running unit, so that it may do the last step
   */
  Optional<Found> next(long nowNanos, boolean mayEnd) throws FdtException {
    for (; position < order.length; position++) {
      String unit = PlanFiles.name(order[position]);
      UnitState state = stateOf(unit);
      if (state.isOpen() && hasItsRanges(order[position])) {
        if (claim(unit, state)) {
          position++;
          return Optional.of(new Found(unit, state.attempt() + 1, false));
        }
        known.remove(PlanFiles.shardOf(unit));
      }
    }
    Optional<Found> found = lookAgain(nowNanos);
    return found.isPresent() || !mayEnd || ended < order.length ? found : lastStep(nowNanos);
  }

  private boolean claim(String unit, UnitState state) throws FdtException {
    boolean isOurs = claims.claim(unit, state.attempt() + 1);
    if (isOurs) {
      claimed.add(unit);
    }
    return isOurs;
  }

  private UnitState stateOf(String unit) throws FdtException {
    String shard = PlanFiles.shardOf(unit);
    Map<String, UnitState> states = known.get(shard);
    if (states == null) {
      states = claims.list(unit);
      known.put(shard, states);
    }
    return states.getOrDefault(unit, UnitState.NONE);
  }

  /** Whether the ranges of a cut file have ended; true for all other units. */
  private boolean hasItsRanges(int unit) throws FdtException {
    for (int range = unit - plan.rangesBefore(unit); range < unit; range++) {
      UnitState state = stateOf(PlanFiles.name(range));
      if (!state.isDone() && !retries.isExhausted(state)) {
        return false;
      }
    }
    return true;
  }

  /** Searches all units for those that failed, were returned, or lost their worker. */
  private Optional<Found> lookAgain(long nowNanos) throws FdtException {
    known.clear();
    ended = 0;
    failed = 0;
    Map<String, Boolean> dead = new HashMap<>();
    for (int number : order) {
      String unit = PlanFiles.name(number);
      UnitState state = stateOf(unit);
      boolean isExhausted = retries.isExhausted(state);
      if (state.isDone() || isExhausted) {
        ended++;
        failed += !state.isDone() && !ranges.get(number) ? 1 : 0; // counted by the whole file
      } else if (hasItsRanges(number)
          && isFree(unit, state, nowNanos, dead)
          && claim(unit, state)) {
        return Optional.of(new Found(unit, state.attempt() + 1, false));
      }
    }
    isFirstLook = false;
    isOver = ended == order.length && !plan.header().hasLastStep();
    return Optional.empty();
  }

  private boolean isFree(String unit, UnitState state, long nowNanos, Map<String, Boolean> dead)
      throws FdtException {
    boolean failedBefore = isFirstLook && !claimed.contains(unit);
    if (state.isOpen() || retries.isDue(unit, state, failedBefore, nowNanos)) {
      return true;
    }
    if (!state.isRunning()) {
      return false;
    }
    Optional<String> holder = claims.holder(unit, state.attempt());
    if (holder.isEmpty()) {
      return false;
    }
    Boolean isDead = dead.get(holder.get());
    if (isDead == null) {
      isDead = isDead(holder.get(), nowNanos);
      dead.put(holder.get(), isDead);
    }
    if (isDead) {
      listener.takenOver(unit, holder.get());
    }
    return isDead;
  }

  private boolean isDead(String worker, long nowNanos) {
    Optional<Heartbeat.Beat> beat = Heartbeat.read(plan.files(), worker);
    return beat.filter(Heartbeat::isOfEndedProcess).isPresent()
        || watch.isDead(worker, beat.map(Heartbeat.Beat::beat).orElse(-1L), nowNanos);
  }

  /** Claims the last step after the end of all units, unless another worker has it. */
  private Optional<Found> lastStep(long nowNanos) throws FdtException {
    if (!plan.header().hasLastStep()) {
      return Optional.empty();
    }
    UnitState state = stateOf(PlanFiles.FINAL);
    boolean isPartial = failed > 0;
    isOver =
        state.isDone()
            || retries.isExhausted(state)
            || (isPartial && state.ending() == UnitEnding.PARTIAL);
    if (isOver) {
      return Optional.empty();
    }
    boolean isNowWhole = !isPartial && state.ending() == UnitEnding.PARTIAL;
    if ((isNowWhole || isFree(PlanFiles.FINAL, state, nowNanos, new HashMap<>()))
        && claim(PlanFiles.FINAL, state)) {
      return Optional.of(new Found(PlanFiles.FINAL, state.attempt() + 1, isPartial));
    }
    return Optional.empty();
  }
}
