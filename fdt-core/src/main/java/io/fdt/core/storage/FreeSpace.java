package io.fdt.core.storage;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.os.Directory;
import java.io.File;
import java.util.Locale;

/**
 * The numbers that belong into the message of a full file system. Pure but for asking the system.
 */
public final class FreeSpace {
  private FreeSpace() {}

  /** The same error with what was needed and what there is. */
  public static FdtException explain(
      FdtException full, Directory directory, FileName name, long needed) {
    String free;
    try {
      int pinned = directory.pin();
      try {
        // The kernel's own link to the directory: plain ASCII, whatever the names on the way are.
        free = text(new File("/proc/self/fd/" + pinned).getUsableSpace());
      } finally {
        directory.unpin();
      }
    } catch (FdtException e) {
      free = "unknown";
    }
    return new FdtException(
        full.code(),
        "storage full: need="
            + text(needed)
            + " free="
            + free
            + " path="
            + directory.pathOf(name)
            + " ("
            + full.getMessage()
            + ")",
        full);
  }

  /** Decimal units, one digit: "4.1 GB". */
  public static String text(long bytes) {
    String[] units = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    double value = bytes;
    int unit = 0;
    while (value >= 999.95 && unit < units.length - 1) {
      value /= 1000;
      unit++;
    }
    return unit == 0 ? bytes + " B" : String.format(Locale.US, "%.1f %s", value, units[unit]);
  }
}
