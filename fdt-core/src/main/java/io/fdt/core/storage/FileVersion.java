package io.fdt.core.storage;

import io.fdt.core.model.Timestamp;

/**
 * One version of a file's content: any write, and any reset of its time, makes another one.
 *
 * @param device number of its file system
 * @param inode number of the file in it
 * @param size bytes
 * @param modified modification time, which any program may set
 * @param changed time of the last change of any kind, which only the system sets
 */
public record FileVersion(
    long device, long inode, long size, Timestamp modified, Timestamp changed) {
  public static FileVersion of(Attributes attributes) {
    return new FileVersion(
        attributes.device(),
        attributes.inode(),
        attributes.size(),
        attributes.modified(),
        attributes.changed());
  }
}
