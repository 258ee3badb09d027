package io.fdt.server.limits;

import java.util.HashMap;
import java.util.Map;

/** How many bytes each owner has, and all together. Thread-safe. */
public final class BytesByOwner {
  private final Map<String, Long> owners = new HashMap<>();
  private long sum;

  /** An owner has so much more, or less. */
  public synchronized void add(String owner, long change) {
    owners.merge(owner, change, Long::sum);
    owners.remove(owner, 0L);
    sum += change;
  }

  public synchronized long of(String owner) {
    return owners.getOrDefault(owner, 0L);
  }

  public synchronized long sum() {
    return sum;
  }
}
