package io.fdt.core.receive;

import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.name.FoldedName;
import io.fdt.core.storage.name.PathHashes;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * The folded names of each unfinished directory, to find names that may be the same at the
 * destination. Stores 64-bit hashes; a collision costs only a check.
 *
 * <p>Memory: 8 to 16 bytes for each name, at most {@link #MOST_NAMES} in all open directories. Each
 * further name is treated as a possible duplicate. Confined to the placement thread.
 */
final class SiblingNames {
  private static final int MOST_NAMES = 2 << 20;
  private static final int FIRST_SLOTS = 16;
  private static final long MAX_BYTES = 2L * Long.BYTES * MOST_NAMES;

  private static final class Siblings {
    final PathHashes folded;

    /** Directories by identity: two sources may have the same directory. */
    final PathHashes directories;

    int count;

    Siblings(long seed) {
      folded = new PathHashes(seed, MAX_BYTES, FIRST_SLOTS);
      directories = new PathHashes(seed, MAX_BYTES, FIRST_SLOTS);
    }
  }

  private final long seed = new SplittableRandom().nextLong();
  private final Map<Long, Siblings> open = new HashMap<>();
  private int count;

  /**
   * Adds an entry.
   *
   * @param name at the destination
   * @return whether an earlier entry may have the same name there
   */
  boolean add(Entry entry, FileName name) {
    Siblings siblings = open.computeIfAbsent(entry.parentId(), id -> new Siblings(seed));
    if (entry.kind() == EntryKind.DIRECTORY
        && !siblings.directories.add(PathHashes.of(seed, name))) {
      return false;
    }
    if (count == MOST_NAMES) {
      return true;
    }
    siblings.count++;
    count++;
    return !siblings.folded.add(PathHashes.of(seed, FoldedName.of(name)));
  }

  /** Removes a directory: no more entries have this parent. */
  void ended(long directoryId) {
    Siblings gone = open.remove(directoryId);
    count -= gone == null ? 0 : gone.count;
  }
}
