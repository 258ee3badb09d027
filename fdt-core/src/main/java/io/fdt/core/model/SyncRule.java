package io.fdt.core.model;

import java.util.Objects;

/**
 * When a file at the destination stays as it is. Immutable.
 *
 * @param level what makes it the same as that of the source
 * @param update whether it stays, too, when it was modified later than that of the source
 */
public record SyncRule(Level level, boolean update) {
  /** What makes two files count as the same; each level asks for more than the one before. */
  public enum Level {
    /** One has the name. */
    EXISTS,
    /** And as many bytes. */
    SIZE,
    /** And the same time of modification. */
    MTIME,
    /** And, whatever their times, the same digest, which both ends have to make. */
    CHECKSUM,
    /** None does: what is there is replaced. Of a part of a file nothing tells which one it is. */
    NEVER
  }

  /** Same size and time of modification. */
  public static final SyncRule DEFAULT = new SyncRule(Level.MTIME, false);

  public SyncRule {
    Objects.requireNonNull(level, "level");
  }

  /** Whether what is no directory stays at the name of an entry, whatever it holds. */
  public boolean spares(Entry entry, Timestamp modified) {
    boolean isNewer = modified.compareTo(entry.modified()) > 0;
    return level == Level.EXISTS || (update && isNewer);
  }

  /**
   * Whether what stands at the name of an entry stays there.
   *
   * @param kind what that is; null for a device, socket or FIFO
   * @param size of it, bytes
   */
  public boolean keeps(Entry entry, EntryKind kind, long size, Timestamp modified) {
    if (level == Level.NEVER
        || kind == EntryKind.DIRECTORY
        || entry.kind() == EntryKind.DIRECTORY) {
      return false; // a directory is in the way of anything else, which is an error
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

  /** Whether the digests of what stands at the name of an entry and of the entry tell. */
  public boolean asksForDigest(Entry entry, EntryKind kind, long size) {
    return level == Level.CHECKSUM
        && kind == EntryKind.FILE
        && entry.kind() == EntryKind.FILE
        && size == entry.size()
        && size > 0;
  }
}
