package io.fdt.storage.local.os;

import java.util.Set;

/**
 * Which file systems have one inode for each file, and keep it. Programs (FUSE) and file servers
 * (SMB, 9P) may make them up, so that several files have one, or one file has another each time.
 * Pure but for the system call.
 */
public final class Inodes {
  /** What statfs gives for FUSE, CIFS, SMB 2 and 9P. */
  private static final Set<Long> MADE_UP =
      Set.of(0x65735546L, 0xff534d42L, 0xfe534d42L, 0x01021997L);

  private Inodes() {}

  /** Whether the inodes of the file system of an open file or directory can be trusted. */
  public static boolean areTrusted(int descriptor) {
    return !MADE_UP.contains(Syscalls.fileSystemType(descriptor) & 0xFFFF_FFFFL);
  }
}
