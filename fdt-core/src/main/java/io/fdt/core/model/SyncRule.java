package io.fdt.core.model;

import java.util.Objects;

/**
 * Decides which existing files at the destination are kept. Immutable.
 *
 * @param level the criteria for equality with the source
 * @param update whether a file newer than the source is also kept
 */
public record SyncRule(Level level, boolean update) {
  /** Criteria of equal files, each stricter than the one before. */
  public enum Level {
    /** The name exists. */
    EXISTS,
    /** The name exists, and the size is equal. */
    SIZE,
    /** The name exists, and size and modification time are equal. */
    MTIME,
    /** The digests are equal, whatever the times; both ends compute them. */
    CHECKSUM,
    /**
     * Files are always replaced. Also used for ranges: the destination does not record which range
     * it holds.
     */
    NEVER
  }

  /** Keeps files of the same size and modification time. */
  public static final SyncRule DEFAULT = new SyncRule(Level.MTIME, false);

  public SyncRule {
    Objects.requireNonNull(level, "level");
  }

  /** Whether an existing file or link is kept whatever its content. */
  public boolean spares(Entry entry, Timestamp modified) {
    return level == Level.EXISTS || sparesNewer(entry, modified);
  }

  /** Whether an existing file or link is kept because it is newer. */
  public boolean sparesNewer(Entry entry, Timestamp modified) {
    return level != Level.EXISTS && update && modified.compareTo(entry.modified()) > 0;
  }

  /**
   * Whether the existing entry is kept.
   *
   * @param kind of the existing entry; null for a device, socket or FIFO
   * @param size of the existing entry, in bytes
   */
  public boolean keeps(Entry entry, EntryKind kind, long size, Timestamp modified) {
    if (level == Level.NEVER
        || kind == EntryKind.DIRECTORY
        || entry.kind() == EntryKind.DIRECTORY) {
      return false; // a directory in the way is an error
    }
    if (spares(entry, modified)) {
      return true;
    }
    boolean areFiles = kind == EntryKind.FILE && entry.kind() == EntryKind.FILE;
    return areFiles
        && size == entry.size()
        && (level == Level.SIZE
            || (modified.equals(entry.modified()) && (level == Level.MTIME || entry.size() == 0)));
  }

  /** Whether the digests of the existing entry and the source decide. */
  public boolean asksForDigest(Entry entry, EntryKind kind, long size) {
    return level == Level.CHECKSUM
        && kind == EntryKind.FILE
        && entry.kind() == EntryKind.FILE
        && size == entry.size()
        && size > 0;
  }
}
