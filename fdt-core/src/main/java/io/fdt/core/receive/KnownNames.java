package io.fdt.core.receive;

import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.session.ReceiverMachine;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.PathHashes;
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

  /** That are open at once: more than a session may have. */
  private static final int MAX_DIRECTORIES = 4 * ReceiverMachine.WINDOW;

  private final PathHashes names;
  private final Map<Long, Long> directories = new HashMap<>();
  private List<FileName> lastWay = List.of();
  private long lastKey;

  public KnownNames(SplittableRandom random) {
    this.names = new PathHashes(random.nextLong(), MAX_BYTES);
    this.lastKey = names.root();
    directories.put(Entry.ROOT, names.root());
  }

  /** Takes note of an entry; parents come before what they hold. */
  public void add(Entry entry) {
    Long parent = directories.get(entry.parentId());
    if (parent == null) {
      return; // the source will be asked
    }
    long key = PathHashes.of(parent, entry.name());
    if (entry.kind() == EntryKind.DIRECTORY && directories.size() < MAX_DIRECTORIES) {
      directories.put(entry.id(), key);
    }
    boolean unused = names.add(key);
  }

  /** No more entries have this parent. */
  public void ended(long directoryId) {
    directories.remove(directoryId);
  }

  /** Whether a name is among them, as far as they are remembered. */
  public boolean contains(List<FileName> way, FileName name) {
    if (!way.equals(lastWay)) {
      lastWay = way;
      lastKey = names.root();
      for (FileName step : way) {
        lastKey = PathHashes.of(lastKey, step);
      }
    }
    return names.contains(PathHashes.of(lastKey, name));
  }
}
