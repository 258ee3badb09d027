package io.fdt.storage.local.os;

import java.util.Set;

/**
 * File systems with stable, unique inode numbers. Programs (FUSE) and file servers (SMB, 9P) may
 * generate them, so that several files share one, or one file gets another each time. Pure but for
 * the system call.
 */
public final class Inodes {
  /** Types of statfs for FUSE, CIFS, SMB 2 and 9P. */
  private static final Set<Long> MADE_UP =
      Set.of(0x65735546L, 0xff534d42L, 0xfe534d42L, 0x01021997L);

  private Inodes() {}

  /** Whether the inode numbers on the file system of an open file or directory are reliable. */
  public static boolean areTrusted(int descriptor) {
    return !MADE_UP.contains(Syscalls.fileSystemType(descriptor) & 0xFFFF_FFFFL);
  }
}
