package io.fdt.core.storage;

import io.fdt.core.model.EntryKind;
import io.fdt.core.model.Timestamp;
import java.util.Optional;

/**
 * The attributes of one name in a storage, links not followed.
 *
 * @param kind empty for devices, sockets and FIFOs
 * @param size bytes of a file, length of a link's target
 * @param mode permission bits (07777); of a device, socket or FIFO with its type, as st_mode
 * @param modified modification time
 * @param changed time of the last change of any kind, which only the system sets
 * @param device number of the file system
 * @param inode number of the file within its file system; 0 when it has none
 * @param names number of its names (hard links)
 * @param allocated bytes on the device
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
   * The identity of the file, whatever its name; unique within one file system, and 0 when unknown.
   */
  public long identity() {
    return device * 0x9E3779B97F4A7C15L ^ inode;
  }

  /** A copy with another size. */
  public Attributes withSize(long other) {
    return new Attributes(
        kind, other, mode, modified, changed, device, inode, names, allocated, user, group);
  }

  /**
   * Whether both describe one file: the same inode of the same file system. False if the storage
   * gives files no identity.
   */
  public boolean isSameFile(Attributes other) {
    return inode != 0 && device == other.device && inode == other.inode;
  }
}
