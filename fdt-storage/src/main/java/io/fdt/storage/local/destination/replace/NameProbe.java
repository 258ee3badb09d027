package io.fdt.storage.local.destination.replace;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileName;
import io.fdt.core.model.WindowsName;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.DirectoryListing;
import io.fdt.storage.local.os.DirectoryScope;
import io.fdt.storage.local.os.Syscalls;
import io.fdt.storage.posix.Errno;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Finds out whether a file system stores names that Windows refuses: FAT, exFAT, NTFS and shares
 * refuse some, or store others. Tries a short name for each flaw once per file system, in a
 * temporary directory. Any thread.
 */
public final class NameProbe {
  private record Flaw(long device, FileName sample) {}

  private final Map<Flaw, Boolean> stored = new ConcurrentHashMap<>();

  /**
   * Whether the file system of a directory stores names with these flaws.
   *
   * @param samples see {@link WindowsName#flaws}
   */
  public boolean stores(Directory directory, DirectoryScope scope, Set<FileName> samples)
      throws FdtException {
    for (FileName sample : samples) {
      Flaw flaw = new Flaw(directory.firstSeen().device(), sample);
      Boolean known = stored.get(flaw);
      if (known == null) {
        known = TrialDirectory.in(directory, scope, room -> isStoredIn(room, sample));
        stored.put(flaw, known);
      }
      if (!known) {
        return false;
      }
    }
    return true;
  }

  private static boolean isStoredIn(Directory room, FileName sample) throws FdtException {
    int pinned = room.pin();
    try {
      int result = TrialDirectory.create(pinned, sample);
      return result < 0 ? !isRefusal(room, sample, -result) : isFoundIn(room, pinned, sample);
    } finally {
      room.unpin();
    }
  }

  /** Servers of SMB refuse names by any of these errors. */
  private static boolean isRefusal(Directory room, FileName sample, int errno) throws FdtException {
    return switch (errno) {
      case Errno.EINVAL,
          Errno.EILSEQ,
          Errno.ENAMETOOLONG,
          Errno.ENOENT,
          Errno.EACCES,
          Errno.EPERM ->
          true;
      default -> throw Errno.ofName(errno, "create", room.pathOf(sample));
    };
  }

  /** Whether the file has its name: some file systems change it. Removes the file. */
  private static boolean isFoundIn(Directory room, int pinned, FileName sample)
      throws FdtException {
    boolean isFound = false;
    try (DirectoryListing names = DirectoryListing.open(room, DirectoryListing.newBuffer())) {
      while (names.next()) {
        isFound |= Arrays.equals(names.name(), sample.bytes());
        Syscalls.unlink(pinned, FileName.of(names.name()));
      }
    }
    return isFound;
  }
}
