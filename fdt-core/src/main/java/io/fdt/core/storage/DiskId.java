package io.fdt.core.storage;

/**
 * One physical disk, the unit of reader and writer threads.
 *
 * @param name unique among the disks of all storages
 */
public record DiskId(String name) {
  // Hand-written, here and elsewhere: the generated methods of a record are linked while the first
  // transfer waits, and called through method handles, which C1 does not inline.
  @Override
  public boolean equals(Object other) {
    return other instanceof DiskId disk && disk.name.equals(name);
  }

  @Override
  public int hashCode() {
    return name.hashCode();
  }
}
