package io.fdt.storage.local.os;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Device numbers to disks, on a /sys and a mountinfo that are laid out like those of the kernel.
 */
class DiskIdsTest {
  @TempDir Path machine;
  private Path sys;
  private Path mounts;

  @BeforeEach
  void layOut() throws IOException {
    sys = Files.createDirectories(machine.resolve("sys"));
    Files.createDirectories(sys.resolve("dev/block"));
    Files.createDirectories(sys.resolve("class/block"));
    device("devices/pci/nvme0n1", "259:0", false);
    device("devices/pci/nvme0n1/nvme0n1p2", "259:2", true);
    device("devices/virtual/block/dm-0", "253:0", false);
    mounts =
        Files.writeString(
            machine.resolve("mountinfo"),
            """
            22 1 0:30 /sub /data rw,relatime shared:1 master:2 - btrfs /dev/null rw
            23 1 0:31 / /dev/shm rw - tmpfs tmpfs rw
            24 1 0:32 / /net rw - nfs4 server:/export rw
            """);
  }

  private void device(String directory, String number, boolean isPartition) throws IOException {
    Path device = Files.createDirectories(sys.resolve(directory));
    Files.writeString(device.resolve("dev"), number + "\n");
    if (isPartition) {
      Files.writeString(device.resolve("partition"), "2\n");
    }
    Files.createSymbolicLink(sys.resolve("dev/block").resolve(number), device);
    Files.createSymbolicLink(sys.resolve("class/block").resolve(device.getFileName()), device);
  }

  private String diskOf(long major, long minor) {
    return new DiskIds(sys, mounts).of(major << 32 | minor).name();
  }

  @Test
  void partitionBelongsToItsWholeDisk() {
    assertThat(diskOf(259, 2)).isEqualTo("nvme0n1");
    assertThat(diskOf(259, 0)).isEqualTo("nvme0n1");
  }

  @Test
  void volumeOfTheDeviceMapperStaysItself() {
    assertThat(diskOf(253, 0)).isEqualTo("dm-0");
  }

  @Test
  void fileSystemWithoutADeviceBelongsToWhatItIsMountedFrom() throws IOException {
    device("devices/pci/null", "1:3", false);
    assertThat(diskOf(0, 30)).isEqualTo("null");
  }

  @Test
  void fileSystemWithoutADiskIsOneOfItsOwn() {
    assertThat(diskOf(0, 31)).isEqualTo("0:31");
    assertThat(diskOf(0, 32)).isEqualTo("0:32");
    assertThat(diskOf(0, 99)).isEqualTo("0:99");
    assertThat(diskOf(8, 1)).isEqualTo("8:1");
  }

  @Test
  void everyFileSystemOfThisMachineHasADisk() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/mountinfo"))) {
      String[] number = line.split(" ")[2].split(":");
      long device = Long.parseLong(number[0]) << 32 | Long.parseLong(number[1]);
      assertThat(DiskIds.OF_MACHINE.of(device).name()).matches("\\d+:\\d+|[a-z][\\w!-]*");
      assertThat(DiskIds.OF_MACHINE.of(device)).isSameAs(DiskIds.OF_MACHINE.of(device));
    }
  }
}
