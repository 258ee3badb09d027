package io.fdt.core.storage;

/**
 * One physical disk: what has readers and writers of its own.
 *
 * @param name the kernel's name of it, as in "259:0", or the device number of a file system that
 *     has no disk
 */
public record DiskId(String name) {
  // Written out, here and elsewhere, because a record's own are put together while the first
  // transfer waits, and are called through method handles, which the first compiler does not
  // inline.
  @Override
  public boolean equals(Object other) {
    return other instanceof DiskId disk && disk.name.equals(name);
  }

  @Override
  public int hashCode() {
    return name.hashCode();
  }
}
