package io.fdt.client.transfer;

/**
 * The reported paths, as 64-bit hashes: in a dataset of a hundred million, one path collides with a
 * chance of 1 in 4,000. Not thread-safe.
 */
public final class ReportedPaths {
  private static final int FIRST_SLOTS = 1 << 8;

  private final int most;
  private long[] slots = new long[FIRST_SLOTS];
  private int count;

  /**
   * @param most paths stored; memory: 11 to 22 bytes each
   */
  ReportedPaths(int most) {
    this.most = most;
  }

  /** Adds a path, unless the limit is reached. */
  void add(String path) {
    if (count == most) {
      return;
    }
    if (4L * count >= 3L * slots.length) {
      grow();
    }
    count += put(slots, hash(path)) ? 1 : 0;
  }

  boolean contains(String path) {
    long hash = hash(path);
    int slot = slotOf(slots, hash);
    return slots[slot] == hash;
  }

  private void grow() {
    long[] wider = new long[2 * slots.length];
    for (long hash : slots) {
      if (hash != 0) {
        put(wider, hash);
      }
    }
    slots = wider;
  }

  private static boolean put(long[] slots, long hash) {
    int slot = slotOf(slots, hash);
    boolean isNew = slots[slot] == 0;
    slots[slot] = hash;
    return isNew;
  }

  /** The slot of a hash, filled or free. */
  private static int slotOf(long[] slots, long hash) {
    int mask = slots.length - 1;
    int slot = (int) (hash >>> 32) & mask;
    while (slots[slot] != 0 && slots[slot] != hash) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  /** FNV-1a over the characters, then the last step of SplitMix64, for the upper bits; never 0. */
  private static long hash(String path) {
    long hash = 0xcbf29ce484222325L;
    for (int i = 0; i < path.length(); i++) {
      hash = (hash ^ path.charAt(i)) * 0x100000001b3L;
    }
    hash = (hash ^ (hash >>> 30)) * 0xbf58476d1ce4e5b9L;
    hash = (hash ^ (hash >>> 27)) * 0x94d049bb133111ebL;
    return (hash ^ (hash >>> 31)) | 1;
  }
}
