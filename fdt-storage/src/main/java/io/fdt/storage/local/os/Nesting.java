package io.fdt.storage.local.os;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.model.Root;
import io.fdt.core.storage.Attributes;
import io.fdt.storage.posix.Flags;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Rejects a destination inside its own source: each run would copy the result of the last one, one
 * level deeper. Both ends may be unrelated programs of one machine that only exchange a number for
 * each named directory. Any thread.
 */
public final class Nesting {
  private static final byte[] PARENT = "..".getBytes(StandardCharsets.US_ASCII);

  /** More names than a path can have. */
  private static final int MAX_DEPTH = 4096;

  private Nesting() {}

  /** A number that identifies a directory of this machine until a reboot; never 0. */
  public static long placeOf(Attributes directory) {
    long mixed = (directory.identity() ^ BootId.HIGH) * 0xd6e8feb86659fd93L ^ BootId.LOW;
    return mixed == 0 ? 1 : mixed;
  }

  /** Whether a destination may be inside a source: one is a whole directory of a machine. */
  public static boolean isPossible(List<Root> roots) {
    return roots.stream().anyMatch(root -> root.place() != 0);
  }

  /**
   * Checks the directories from a destination up to the root.
   *
   * @param base the destination, or the last existing directory on the way to it
   * @param isItself whether it is the destination, and sources keep their names in it
   * @param shown the destination, for messages
   * @throws FdtException USAGE when it is inside a source
   */
  public static void refuse(List<Root> roots, Directory base, boolean isItself, String shown)
      throws FdtException {
    if (!isPossible(roots)) {
      return;
    }
    int pinned = base.pin();
    try {
      climb(roots, pinned, isItself, shown);
    } finally {
      base.unpin();
    }
  }

  private static void climb(List<Root> roots, int base, boolean isItself, String shown)
      throws FdtException {
    int current = base;
    long below = 0;
    for (int depth = 0; depth < MAX_DEPTH && Syscalls.statx(current) >= 0; depth++) {
      long place = placeOf(Syscalls.attributes());
      if (place == below) {
        break; // the root
      }
      for (Root root : roots) {
        if (root.place() == place && !(isItself && depth == 0 && root.isContents())) {
          closeUnless(base, current);
          throw new FdtException(
              ErrorCode.USAGE,
              "the destination '%s' is in the source that is copied to it; choose another one, or leave it out with %s"
                  .formatted(shown, Setting.SELECTION));
        }
      }
      below = place;
      int parent = Syscalls.open(current, PARENT, Flags.O_PATH | Flags.O_DIRECTORY, 0);
      closeUnless(base, current);
      current = parent;
      if (parent < 0) {
        return; // unknown
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
