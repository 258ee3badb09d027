package io.fdt.server.limits;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/** A resource that owners share, with a limit for all and one for each. Thread-safe. */
public final class SharedBudget {
  /** The number of owners in {@link #largest}. */
  private static final int NAMED = 3;

  private final long most;
  private final long mostOfOne;
  private final Map<String, Long> held = new HashMap<>();
  private long sum;

  /** A budget that counts without a limit. */
  public SharedBudget() {
    this(Long.MAX_VALUE, Long.MAX_VALUE);
  }

  public SharedBudget(long most, long mostOfOne) {
    this.most = most;
    this.mostOfOne = mostOfOne;
  }

  /**
   * Takes an amount if it is within the limits.
   *
   * @return the limit that it would exceed; empty when it was taken
   */
  public synchronized OptionalLong take(String owner, long amount) {
    if (of(owner) + amount > mostOfOne) {
      return OptionalLong.of(mostOfOne);
    }
    if (sum + amount > most) {
      return OptionalLong.of(most);
    }
    add(owner, amount);
    return OptionalLong.empty();
  }

  /** Adds an amount, possibly negative, regardless of the limits. */
  public synchronized void add(String owner, long change) {
    held.merge(owner, change, Long::sum);
    held.remove(owner, 0L);
    sum += change;
  }

  public synchronized long of(String owner) {
    return held.getOrDefault(owner, 0L);
  }

  public synchronized long sum() {
    return sum;
  }

  public long most() {
    return most;
  }

  /** The owners with the largest amounts, for the log: "alice:300,bob:12". */
  public synchronized String largest() {
    return held.entrySet().stream()
        .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
        .limit(NAMED)
        .map(entry -> entry.getKey() + ":" + entry.getValue())
        .collect(Collectors.joining(","));
  }
}
