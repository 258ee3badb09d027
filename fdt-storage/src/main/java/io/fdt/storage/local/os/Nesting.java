package io.fdt.storage.local.os;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Root;
import io.fdt.core.storage.Attributes;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Refuses a destination that is in the tree that is copied to it: each run would copy what the last
 * one has made, one level deeper. Both ends may be programs of one machine that know nothing of
 * each other but a number of each directory that was named. Any thread.
 */
public final class Nesting {
  private static final byte[] PARENT = "..".getBytes(StandardCharsets.US_ASCII);

  /** More than a path can have names. */
  private static final int MAX_DEPTH = 4096;

  private Nesting() {}

  /** A number that stands for a directory of this machine until it is restarted; never 0. */
  public static long placeOf(Attributes directory) {
    long mixed = (directory.identity() ^ BootId.HIGH) * 0xd6e8feb86659fd93L ^ BootId.LOW;
    return mixed == 0 ? 1 : mixed;
  }

  /**
   * Looks from a destination up to the root of the file system.
   *
   * @param newName the name in it that one source gets; null where sources keep theirs
   * @param shown the destination, for people
   * @throws FdtException USAGE when it is in one of the sources
   */
  public static void refuse(List<Root> roots, Directory base, FileName newName, String shown)
      throws FdtException {
    if (base == null || roots.stream().allMatch(root -> root.place() == 0)) {
      return;
    }
    int pinned = base.pin();
    try {
      climb(roots, pinned, newName != null, shown);
    } finally {
      base.unpin();
    }
  }

  private static void climb(List<Root> roots, int base, boolean hasNewName, String shown)
      throws FdtException {
    int current = base;
    long below = 0;
    for (int depth = 0; depth < MAX_DEPTH && Syscalls.statx(current) >= 0; depth++) {
      long place = placeOf(NativeBuffers.ofThread().attributes());
      if (place == below) {
        break; // the root
      }
      boolean isItself = depth == 0 && !hasNewName;
      for (Root root : roots) {
        if (root.place() == place && !(isItself && root.isContents())) {
          closeUnless(base, current);
          throw new FdtException(
              ErrorCode.USAGE,
              "the destination '%s' is in the source that is copied to it; choose another one, or leave it out with --exclude"
                  .formatted(shown));
        }
      }
      below = place;
      int parent = Syscalls.open(current, PARENT, LibC.O_PATH | LibC.O_DIRECTORY, 0);
      closeUnless(base, current);
      current = parent;
      if (parent < 0) {
        return; // nothing to be found out
      }
    }
    closeUnless(base, current);
  }

  private static void closeUnless(int base, int descriptor) {
    if (descriptor != base) {
      int ignored = Syscalls.close(descriptor);
    }
  }
}
