package io.fdt.storage.local.destination.replace;

import io.fdt.core.storage.Attributes;
import io.fdt.storage.local.os.Directory;
import java.util.List;

/**
 * The directory that receives overwritten and deleted files. Immutable.
 *
 * @param root null where a dry run finds none
 * @param above the directories above it, as far as they exist and are needed
 */
public record BackupPlace(Directory root, List<Attributes> above) {
  public boolean isAt(Attributes directory) {
    return root != null && root.firstSeen().isSameFile(directory);
  }

  /** Whether the directory for backups lies beneath another one. */
  public boolean isBeneath(Attributes directory) {
    return above.stream().anyMatch(directory::isSameFile);
  }
}
