package io.fdt.core.receive;

import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.session.receiver.ReceiverMachine;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.name.FoldedName;
import io.fdt.core.storage.name.PathHashes;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * The names of a manifest, as 64-bit hashes of their paths.
 *
 * <p>A hash collision is harmless: a name that the source lacks is kept. Memory: 8 to 16 bytes for
 * each name, twice as much for names with capitals or accents, at most {@link #MAX_BYTES}; further
 * names are not stored, and the source is asked about them.
 *
 * <p>Confined to one thread at a time: the placement thread, then that of the deletion.
 */
public final class KnownNames {
  /** Space for three million names. */
  public static final long MAX_BYTES = TransferSpec.DELETION_NAMES_BYTES;

  /** The most open directories, more than a session may have. */
  private static final int MAX_DIRECTORIES = 4 * ReceiverMachine.WINDOW;

  /** Changes the hash of a folded name, which differs from that of an equal exact name. */
  private static final long OF_SPELLINGS = 0x9E3779B97F4A7C15L;

  private final PathHashes names;

  /** Whether some names are not stored. */
  private boolean isPartial;

  private final Map<Long, Keys> directories = new HashMap<>();
  private List<FileName> lastWay = List.of();
  private Keys lastKeys;

  /**
   * The hashes of one path.
   *
   * @param folded of its names as folded by {@link FoldedName}; often the same
   */
  private record Keys(long exact, long folded) {
    Keys of(FileName name) {
      long key = PathHashes.of(exact, name);
      byte[] plain = FoldedName.of(name);
      boolean isSame = exact == folded && Arrays.equals(plain, name.bytes());
      return new Keys(key, isSame ? key : PathHashes.of(folded, plain));
    }
  }

  public KnownNames(SplittableRandom random) {
    this.names = new PathHashes(random.nextLong(), MAX_BYTES);
    this.lastKeys = new Keys(names.root(), names.root());
    directories.put(Entry.ROOT, lastKeys);
  }

  /** Adds an entry; parents come before their entries. */
  public void add(Entry entry) {
    Keys parent = directories.get(entry.parentId());
    if (parent == null) {
      isPartial = true;
      return; // the source will be asked
    }
    Keys keys = parent.of(entry.name());
    if (entry.kind() == EntryKind.DIRECTORY && directories.size() < MAX_DIRECTORIES) {
      directories.put(entry.id(), keys);
    }
    boolean unused = names.add(keys.exact());
    if (keys.folded() != keys.exact()) {
      unused = names.add(keys.folded() ^ OF_SPELLINGS);
    }
  }

  /** Removes a directory: no more entries have this parent. */
  public void ended(long directoryId) {
    directories.remove(directoryId);
  }

  /** Whether a name is among the stored ones. */
  public boolean contains(List<FileName> way, FileName name) {
    return names.contains(keysOf(way).of(name).exact());
  }

  /** Whether a name may be the same as this one at the destination, in another spelling. */
  public boolean mayContainSpelling(List<FileName> way, FileName name) {
    long folded = keysOf(way).of(name).folded();
    return isPartial
        || names.isFull()
        || names.contains(folded)
        || names.contains(folded ^ OF_SPELLINGS);
  }

  private Keys keysOf(List<FileName> way) {
    if (!way.equals(lastWay)) {
      lastWay = way;
      lastKeys = new Keys(names.root(), names.root());
      for (FileName step : way) {
        lastKeys = lastKeys.of(step);
      }
    }
    return lastKeys;
  }
}
