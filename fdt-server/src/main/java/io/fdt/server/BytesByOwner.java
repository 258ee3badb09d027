package io.fdt.server;

import java.util.HashMap;
import java.util.Map;

/** How many bytes each owner has, and all together. Thread-safe. */
final class BytesByOwner {
  private final Map<String, Long> owners = new HashMap<>();
  private long sum;

  /** An owner has so much more, or less. */
  synchronized void add(String owner, long change) {
    owners.merge(owner, change, Long::sum);
    owners.remove(owner, 0L);
    sum += change;
  }

  synchronized long of(String owner) {
    return owners.getOrDefault(owner, 0L);
  }

  synchronized long sum() {
    return sum;
  }
}
