package io.fdt.core.model;

import java.util.List;

/**
 * One file, directory or symbolic link of a dataset, as the sender found it.
 *
 * <p>Entries form a tree: each names its parent, and a parent always comes before its children. Ids
 * count up from 1 in the order of the manifest; {@link #ROOT} is the destination directory itself
 * and is never sent.
 *
 * @param id position in the manifest, from 1
 * @param parentId id of the directory that holds this entry, or {@link #ROOT}
 * @param name name within its parent
 * @param size bytes of a file; 0 for everything else
 * @param mode permission bits (07777)
 * @param modified modification time; null for a directory that only a remapping needs, whose mode
 *     and time do not change
 * @param linkTarget target of a symbolic link, 1 to 4,095 bytes without NUL; empty for other kinds
 * @param stamp of a large file; {@link FileStamp#NONE} for others
 * @param metadata optional attributes
 */
public record Entry(
    long id,
    long parentId,
    FileName name,
    EntryKind kind,
    long size,
    int mode,
    Timestamp modified,
    BytePath linkTarget,
    FileStamp stamp,
    FileMetadata metadata) {
  /** The id of the destination directory itself. */
  public static final long ROOT = 0;

  /** Fewest bytes of a file that is resumed after an interruption; smaller ones are sent again. */
  public static final long RESUMED_BYTES = 4 << 20;

  /** An entry without optional attributes. */
  public Entry(
      long id,
      long parentId,
      FileName name,
      EntryKind kind,
      long size,
      int mode,
      Timestamp modified,
      BytePath linkTarget,
      long identity) {
    this(
        id,
        parentId,
        name,
        kind,
        size,
        mode,
        modified,
        linkTarget,
        FileStamp.of(identity),
        FileMetadata.NONE);
  }

  /** An entry whose file has no known identity. */
  public Entry(
      long id,
      long parentId,
      FileName name,
      EntryKind kind,
      long size,
      int mode,
      Timestamp modified,
      BytePath linkTarget) {
    this(id, parentId, name, kind, size, mode, modified, linkTarget, 0);
  }

  public Entry {
    if (id <= ROOT || parentId < ROOT || parentId >= id) {
      throw new IllegalArgumentException("entry " + id + " cannot have parent " + parentId);
    }
    if (size < 0 || (size > 0 && kind != EntryKind.FILE)) {
      throw new IllegalArgumentException("size " + size + " of a " + kind);
    }
    if ((mode & ~07777) != 0) {
      throw new IllegalArgumentException("mode " + Integer.toOctalString(mode));
    }
    if ((kind == EntryKind.SYMLINK) == linkTarget.isEmpty()) {
      throw new IllegalArgumentException("link target of a " + kind);
    }
    if (metadata.firstName() >= id) {
      throw new IllegalArgumentException("entry " + id + " precedes its first name");
    }
  }

  /** See {@link FileStamp#identity}. */
  public long identity() {
    return stamp.identity();
  }

  /** A copy with another name. */
  public Entry withName(FileName other) {
    return new Entry(id, parentId, other, kind, size, mode, modified, linkTarget, stamp, metadata);
  }

  /** A copy without extended attributes, which may be large. */
  public Entry withoutAttributes() {
    return metadata.attributes().isEmpty()
        ? this
        : new Entry(
            id,
            parentId,
            name,
            kind,
            size,
            mode,
            modified,
            linkTarget,
            stamp,
            metadata.withMetadata(metadata.owner(), List.of()));
  }
}
