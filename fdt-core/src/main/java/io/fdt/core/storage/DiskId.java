package io.fdt.core.storage;

/**
 * One physical disk: what has readers and writers of its own.
 *
 * @param name the kernel's name of it, as in "259:0", or the device number of a file system that
 *     has no disk
 */
public record DiskId(String name) {
  // Written out: a record's own would be made when the first transfer asks for a disk.
  @Override
  public boolean equals(Object other) {
    return other instanceof DiskId disk && disk.name.equals(name);
  }

  @Override
  public int hashCode() {
    return name.hashCode();
  }
}
