package io.fdt.storage.local.os;

import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.DiskId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The physical disks of this machine, by the device numbers of the file systems on them.
 *
 * <p>A partition belongs to its whole disk. A volume of several disks (dm, md) and a loop device
 * count as a disk of their own, named as in /sys. A file system without a device number of its own
 * (btrfs, overlay) belongs to the block device that it is mounted from; one without any (tmpfs,
 * network) is a disk of its own. Any thread; results are cached.
 */
public final class DiskIds {
  /** The disks of this machine. */
  public static final DiskIds OF_MACHINE =
      new DiskIds(Path.of("/sys"), Path.of("/proc/self/mountinfo"));

  private final Path sys;
  private final Path mounts;
  private final ConcurrentHashMap<Long, DiskId> known = new ConcurrentHashMap<>();

  DiskIds(Path sys, Path mounts) {
    this.sys = sys;
    this.mounts = mounts;
  }

  /** The disk of a file system, see {@link Attributes#device}. */
  public DiskId of(long device) {
    DiskId disk = known.get(device);
    if (disk == null) {
      disk = new DiskId(find((int) (device >>> 32) + ":" + (int) device));
      known.put(device, disk);
    }
    return disk;
  }

  private String find(String number) {
    try {
      String block = number.startsWith("0:") ? mountedFrom(number) : number;
      return block == null ? number : wholeDisk(block);
    } catch (IOException | RuntimeException e) {
      // Without /sys or /proc each file system counts as a disk.
      return number;
    }
  }

  /**
   * The kernel's name of the disk of a block device: a partition's directory in /sys lies in that
   * of its disk.
   */
  private String wholeDisk(String number) throws IOException {
    Path device = sys.resolve("dev/block").resolve(number).toRealPath();
    Path whole = Files.exists(device.resolve("partition")) ? device.getParent() : device;
    return whole.getFileName().toString();
  }

  /** The number of the block device that a file system is mounted from, or null. */
  private String mountedFrom(String number) throws IOException {
    for (String line :
        new String(Files.readAllBytes(mounts), StandardCharsets.ISO_8859_1).split("\n")) {
      // id parent major:minor root mountpoint options [optional...] - type source superoptions
      String[] fields = line.split(" ");
      int dash = 6;
      while (dash < fields.length && !fields[dash].equals("-")) {
        dash++;
      }
      if (fields.length > dash + 2 && fields[2].equals(number)) {
        return blockDevice(fields[dash + 2]);
      }
    }
    return null;
  }

  private String blockDevice(String source) throws IOException {
    if (!source.startsWith("/dev/")) {
      return null;
    }
    String kernelName = Path.of(source).toRealPath().getFileName().toString();
    Path dev = sys.resolve("class/block").resolve(kernelName).resolve("dev");
    return Files.exists(dev) ? Files.readString(dev).trim() : null;
  }
}
