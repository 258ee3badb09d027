package io.fdt.storage.local.destination;

import io.fdt.core.storage.Attributes;
import io.fdt.storage.local.os.Directory;
import java.util.List;

/**
 * The directory that a destination moves to what it overwrites or deletes. Immutable.
 *
 * @param root that directory
 * @param above the directories above it, as far as they matter
 */
record BackupPlace(Directory root, List<Attributes> above) {
  /** Whether it is this directory. */
  boolean isAt(Attributes directory) {
    return root.firstSeen().isSameFile(directory);
  }

  /** Whether it is somewhere beneath this directory. */
  boolean isBeneath(Attributes directory) {
    return above.stream().anyMatch(directory::isSameFile);
  }
}
