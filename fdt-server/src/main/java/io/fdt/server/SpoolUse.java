package io.fdt.server;

import java.util.HashMap;
import java.util.Map;

/**
 * What a spool holds: files that clients leave, and bytes that relayed connections keep for a
 * moment. Those connections can have half of the spool, and one token half of that: there is always
 * room for files. Owners are named by {@link Spool#prefix}. Thread-safe.
 */
final class SpoolUse {
  private final long most;
  private Map<String, Long> left = Map.of();
  private long leftBytes;
  private final Map<String, Long> passing = new HashMap<>();
  private long passingBytes;

  /**
   * @param most bytes of both
   */
  SpoolUse(long most) {
    this.most = most;
  }

  long most() {
    return most;
  }

  /** The bytes of files in each place, as last measured. */
  synchronized void measured(Map<String, Long> places) {
    Map<String, Long> sums = new HashMap<>();
    places.forEach(
        (place, bytes) -> {
          int owner = Math.min(place.length(), Spool.PREFIX_LENGTH);
          sums.merge(place.substring(0, owner), bytes, Long::sum);
        });
    left = sums;
    leftBytes = places.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Connections of an owner keep so much more, or less. */
  synchronized void keep(String owner, long change) {
    passing.merge(owner, change, Long::sum);
    passing.remove(owner, 0L);
    passingBytes += change;
  }

  /**
   * Whether connections of an owner may keep more.
   *
   * @param mostOfOwner bytes that it may have in the spool
   */
  synchronized boolean mayKeep(String owner, long mostOfOwner) {
    long own = passing.getOrDefault(owner, 0L);
    return passingBytes < most / 2
        && own < most / 4
        && passingBytes + leftBytes < most
        && own + left.getOrDefault(owner, 0L) < mostOfOwner;
  }

  /** What connections keep. */
  synchronized long passing() {
    return passingBytes;
  }

  /** What those of one owner keep. */
  synchronized long passing(String owner) {
    return passing.getOrDefault(owner, 0L);
  }

  /** What clients have left. */
  synchronized long left() {
    return leftBytes;
  }
}
