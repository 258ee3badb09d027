package io.fdt.core.model;

/**
 * One source that the user named, as the sender found it.
 *
 * @param name the name that it arrives under; null for the contents of a directory and for a file
 *     that takes the name of the destination
 * @param mode permission bits
 * @param modified modification time; null to leave mode and time alone
 * @param place a number that identifies the copied directory on the sender's machine; 0 when
 *     unknown
 */
public record Root(FileName name, EntryKind kind, int mode, Timestamp modified, long place) {
  /** A root at an unknown place. */
  public Root(FileName name, EntryKind kind, int mode, Timestamp modified) {
    this(name, kind, mode, modified, 0);
  }

  /** A copy with another name. */
  public Root withName(FileName other) {
    return new Root(other, kind, mode, modified, place);
  }

  /** A copy with a place. */
  public Root at(long other) {
    return new Root(name, kind, mode, modified, other);
  }

  /** Whether the root stands for the entries of a directory, without the directory itself. */
  public boolean isContents() {
    return name == null && kind == EntryKind.DIRECTORY;
  }

  /** Whether the root takes the name of the destination. */
  public boolean needsName() {
    return name == null && kind == EntryKind.FILE;
  }
}
