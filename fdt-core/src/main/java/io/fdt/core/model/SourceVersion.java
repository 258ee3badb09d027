package io.fdt.core.model;

/**
 * One version of a source file; blocks of two versions are never mixed.
 *
 * @param size bytes
 * @param modified modification time, which any program may set
 * @param stamp identity and time of the last change
 */
public record SourceVersion(long size, Timestamp modified, FileStamp stamp) {
  /** A version without a time of change. */
  public SourceVersion(long size, Timestamp modified, long identity) {
    this(size, modified, FileStamp.of(identity));
  }

  /** The version of the file that an entry describes. */
  public static SourceVersion of(Entry entry) {
    return new SourceVersion(entry.size(), entry.modified(), entry.stamp());
  }

  /** Whether size, modification time and identity are equal; the contents may still differ. */
  public boolean looksLike(SourceVersion other) {
    return size == other.size
        && modified.equals(other.modified)
        && stamp.identity() == other.stamp.identity();
  }

  /** Whether the file is proven unchanged since an earlier listing. */
  public boolean isUnchangedSince(SourceVersion earlier) {
    return looksLike(earlier)
        && earlier.stamp.isOld()
        && earlier.stamp.changed().equals(stamp.changed());
  }
}
