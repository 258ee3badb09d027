package io.fdt.core.storage;

import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.SourceVersion;
import io.fdt.core.model.Timestamp;
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
 * @param attributes those that it will be published with, for a storage that takes them first; null
 *     when they are unknown
 * @param isNew whether its name must be free when it is published; otherwise it replaces a file
 */
public record FileShape(
    long size,
    boolean isSparse,
    SourceVersion version,
    List<CheckedRange> kept,
    Attributes attributes,
    boolean isNew) {
  /**
   * The attributes of a file beside its bytes.
   *
   * @param modified null to keep none
   */
  public record Attributes(int mode, Timestamp modified, FileMetadata metadata) {}

  /** Stands for a size that is known only at the end of the file. */
  public static final long UNKNOWN_SIZE = -1;

  /** A file whose attributes are given when it is published. */
  public FileShape(long size, boolean isSparse, SourceVersion version, List<CheckedRange> kept) {
    this(size, isSparse, version, kept, null, false);
  }

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

  /** The same, for a name that must be free, or may be taken. */
  public FileShape withNew(boolean required) {
    return new FileShape(size, isSparse, version, kept, attributes, required);
  }
}
