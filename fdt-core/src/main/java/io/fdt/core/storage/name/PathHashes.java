package io.fdt.core.storage.name;

import io.fdt.core.model.FileName;

/**
 * A set of paths beneath one directory, as 64-bit hashes: equal hashes count as equal paths.
 * Memory: 8 to 16 bytes for each, up to a bound; further paths are not recorded. Not thread-safe.
 */
public final class PathHashes {
  private static final int FIRST_SLOTS = 1 << 10;
  private static final long FREE = 0;

  private final long seed;
  private final int maxSlots;
  private long[] slots;
  private int count;
  private boolean isFull;

  /**
   * @param seed a random number, so that a peer cannot choose colliding names
   * @param maxBytes of memory; a power of two
   */
  public PathHashes(long seed, long maxBytes) {
    this(seed, maxBytes, FIRST_SLOTS);
  }

  /**
   * An empty set with a small initial size.
   *
   * @param firstSlots a power of two
   */
  public PathHashes(long seed, long maxBytes, int firstSlots) {
    this.seed = seed;
    this.slots = new long[firstSlots];
    this.maxSlots = Math.toIntExact(maxBytes / Long.BYTES);
  }

  /** The hash of the directory itself. */
  public long root() {
    return seed;
  }

  /** The hash of a name in a directory with this hash. Every bit depends on every bit of both. */
  public static long of(long parent, FileName name) {
    return of(parent, name.bytes());
  }

  /** The hash of a name as bytes. */
  public static long of(long parent, byte[] bytes) {
    long hash = parent;
    for (byte b : bytes) {
      hash = (hash ^ (b & 0xFF)) * 0x100000001b3L;
      hash ^= hash >>> 29;
    }
    hash = mix(hash ^ bytes.length);
    return hash == FREE ? 1 : hash;
  }

  /** The hash of a path together with a number. */
  public static long of(long path, long number) {
    long hash = mix(path ^ mix(number));
    return hash == FREE ? 1 : hash;
  }

  /** The finalizer of SplitMix64. */
  private static long mix(long bits) {
    long mixed = (bits ^ (bits >>> 30)) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
    return mixed ^ (mixed >>> 31);
  }

  /**
   * Adds a hash.
   *
   * @return false for a duplicate
   */
  public boolean add(long hash) {
    if (count >= slots.length / 4 * 3) {
      if (slots.length >= maxSlots) {
        isFull = true;
        return !contains(hash);
      }
      grow();
    }
    boolean isNew = put(slots, hash);
    count += isNew ? 1 : 0;
    return isNew;
  }

  /** Whether the bound was exceeded, so that paths are missing. */
  public boolean isFull() {
    return isFull;
  }

  public boolean contains(long hash) {
    for (int i = slot(slots, hash); slots[i] != FREE; i = (i + 1) & (slots.length - 1)) {
      if (slots[i] == hash) {
        return true;
      }
    }
    return false;
  }

  private static int slot(long[] table, long hash) {
    return (int) hash & (table.length - 1);
  }

  private static boolean put(long[] table, long hash) {
    int i = slot(table, hash);
    while (table[i] != FREE) {
      if (table[i] == hash) {
        return false;
      }
      i = (i + 1) & (table.length - 1);
    }
    table[i] = hash;
    return true;
  }

  private void grow() {
    long[] larger = new long[slots.length * 2];
    for (long hash : slots) {
      if (hash != FREE) {
        put(larger, hash);
      }
    }
    slots = larger;
  }
}
