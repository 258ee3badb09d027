package io.fdt.core.storage;

import io.fdt.core.manifest.EntryKind;
import io.fdt.core.manifest.Timestamp;
import java.util.Optional;

/**
 * What a file system knows of one name, links not followed.
 *
 * @param kind what it is; empty for devices, sockets and FIFOs
 * @param size bytes of a file, length of a link's target
 * @param mode permission bits (07777)
 * @param modified time of last modification
 * @param device number of the file system
 * @param inode number of the file within its file system
 */
public record Attributes(
    Optional<EntryKind> kind, long size, int mode, Timestamp modified, long device, long inode) {

  public boolean is(EntryKind wanted) {
    return kind.isPresent() && kind.get() == wanted;
  }
}
