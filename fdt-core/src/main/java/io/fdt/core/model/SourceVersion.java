package io.fdt.core.model;

/**
 * One version of a source file: blocks of two versions are never mixed.
 *
 * @param size bytes
 * @param modified time of last modification, which anybody may set
 * @param stamp the file itself, and the time of its last change
 */
public record SourceVersion(long size, Timestamp modified, FileStamp stamp) {
  /** One whose time of change is not known. */
  public SourceVersion(long size, Timestamp modified, long identity) {
    this(size, modified, FileStamp.of(identity));
  }

  /** The version of the file that an entry describes. */
  public static SourceVersion of(Entry entry) {
    return new SourceVersion(entry.size(), entry.modified(), entry.stamp());
  }

  /** Whether size, time of modification and identity are equal: the contents may still differ. */
  public boolean looksLike(SourceVersion other) {
    return size == other.size
        && modified.equals(other.modified)
        && stamp.identity() == other.stamp.identity();
  }

  /** Whether the file that an earlier listing describes is proven not to have changed since. */
  public boolean isUnchangedSince(SourceVersion earlier) {
    return looksLike(earlier)
        && earlier.stamp.isOld()
        && earlier.stamp.changed().equals(stamp.changed());
  }
}
