package io.fdt.core.storage;

import io.fdt.core.model.EntryKind;
import io.fdt.core.model.Timestamp;
import java.util.Optional;

/**
 * What a file system knows of one name, links not followed.
 *
 * @param kind what it is; empty for devices, sockets and FIFOs
 * @param size bytes of a file, length of a link's target
 * @param mode permission bits (07777)
 * @param modified time of last modification
 * @param changed time of the last change of any kind, which only the system sets
 * @param device number of the file system: its major number in the upper, its minor number in the
 *     lower 32 bits
 * @param inode number of the file within its file system
 * @param names how many names it has (hard links)
 * @param allocated bytes of the device that it takes
 * @param user number of its owner
 * @param group number of its group
 */
public record Attributes(
    Optional<EntryKind> kind,
    long size,
    int mode,
    Timestamp modified,
    Timestamp changed,
    long device,
    long inode,
    long names,
    long allocated,
    int user,
    int group) {

  public boolean is(EntryKind wanted) {
    return kind.isPresent() && kind.get() == wanted;
  }

  /**
   * A number that stands for the file itself, whatever its name; different for all files of one
   * file system, and 0 when unknown.
   */
  public long identity() {
    return device * 0x9E3779B97F4A7C15L ^ inode;
  }

  /** The same with another size. */
  public Attributes withSize(long other) {
    return new Attributes(
        kind, other, mode, modified, changed, device, inode, names, allocated, user, group);
  }

  /** Whether both are of one file: the same inode of the same file system. */
  public boolean isSameFile(Attributes other) {
    return device == other.device && inode == other.inode;
  }
}
