package io.fdt.core.receive;

import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.session.ReceiverMachine;
import io.fdt.core.spec.TransferSpec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * The names that came with a manifest, as hashes of 64 bits of their paths.
 *
 * <p>Two paths with one hash are taken for one: then a name that the source lacks stays, which does
 * no harm. Memory: 8 to 16 bytes for each name, at most {@link #MAX_BYTES}; names beyond that are
 * not remembered, so that the source has to be asked about them.
 *
 * <p>Confined to one thread at a time: that which places entries, and then that of the deletion.
 */
public final class KnownNames {
  /** Room for three million names. */
  public static final long MAX_BYTES = TransferSpec.DELETION_NAMES_BYTES;

  private static final int MAX_SLOTS = (int) (MAX_BYTES / Long.BYTES);
  private static final int FIRST_SLOTS = 1 << 10;
  private static final long FREE = 0;

  /** That are open at once: more than a session may have. */
  private static final int MAX_DIRECTORIES = 4 * ReceiverMachine.WINDOW;

  /** So that nobody can choose names whose hashes are the same. */
  private final long seed;

  private final Map<Long, Long> directories = new HashMap<>();
  private long[] slots = new long[FIRST_SLOTS];
  private int count;
  private List<FileName> lastWay = List.of();
  private long lastKey;

  public KnownNames(SplittableRandom random) {
    this.seed = random.nextLong();
    this.lastKey = seed;
    directories.put(Entry.ROOT, seed);
  }

  /** Takes note of an entry; parents come before what they hold. */
  public void add(Entry entry) {
    Long parent = directories.get(entry.parentId());
    if (parent == null) {
      return; // the source will be asked
    }
    long key = key(parent, entry.name());
    if (entry.kind() == EntryKind.DIRECTORY && directories.size() < MAX_DIRECTORIES) {
      directories.put(entry.id(), key);
    }
    if (count >= slots.length / 4 * 3) {
      if (slots.length >= MAX_SLOTS) {
        return;
      }
      grow();
    }
    count += put(slots, key) ? 1 : 0;
  }

  /** No more entries have this parent. */
  public void ended(long directoryId) {
    directories.remove(directoryId);
  }

  /** Whether a name is among them, as far as they are remembered. */
  public boolean contains(List<FileName> way, FileName name) {
    if (!way.equals(lastWay)) {
      lastWay = way;
      lastKey = seed;
      for (FileName step : way) {
        lastKey = key(lastKey, step);
      }
    }
    long key = key(lastKey, name);
    for (int i = slot(slots, key); slots[i] != FREE; i = (i + 1) & (slots.length - 1)) {
      if (slots[i] == key) {
        return true;
      }
    }
    return false;
  }

  /** Every bit of it depends on every bit of the path; never {@link #FREE}. */
  private static long key(long parent, FileName name) {
    long hash = parent;
    byte[] bytes = name.bytes();
    for (byte b : bytes) {
      hash = (hash ^ (b & 0xFF)) * 0x100000001b3L;
      hash ^= hash >>> 29;
    }
    hash = mix(hash ^ bytes.length);
    return hash == FREE ? 1 : hash;
  }

  /** The finalizer of SplitMix64. */
  private static long mix(long bits) {
    long mixed = (bits ^ (bits >>> 30)) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
    return mixed ^ (mixed >>> 31);
  }

  private static int slot(long[] table, long key) {
    return (int) key & (table.length - 1);
  }

  private static boolean put(long[] table, long key) {
    int i = slot(table, key);
    while (table[i] != FREE) {
      if (table[i] == key) {
        return false;
      }
      i = (i + 1) & (table.length - 1);
    }
    table[i] = key;
    return true;
  }

  private void grow() {
    long[] larger = new long[slots.length * 2];
    for (long key : slots) {
      if (key != FREE) {
        put(larger, key);
      }
    }
    slots = larger;
  }
}
