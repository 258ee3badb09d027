package io.fdt.core.storage;

import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.SourceVersion;
import java.util.List;

/**
 * A new file of a destination, as far as it is known before its first byte.
 *
 * @param size final size, for which space is reserved when it is large; or {@link #UNKNOWN_SIZE}
 * @param isSparse whether it has holes: it gets its full size at once, without reserved space
 * @param version of its source, by which another transfer can resume it: it gets a journal; null
 *     for none
 * @param kept ranges of {@link DestinationDirectory#findPartial}, which are not written again;
 *     empty to start anew
 */
public record FileShape(
    long size, boolean isSparse, SourceVersion version, List<CheckedRange> kept) {
  /** Stands for a size that is known only at the end of the file. */
  public static final long UNKNOWN_SIZE = -1;

  public FileShape {
    kept = List.copyOf(kept);
  }

  /** A file without holes that cannot be resumed. */
  public static FileShape of(long size) {
    return new FileShape(size, false, null, List.of());
  }

  /** A file without holes that can be resumed. */
  public static FileShape of(SourceVersion version, List<CheckedRange> kept) {
    return new FileShape(version.size(), false, version, kept);
  }
}
