package io.fdt.core.model;

/**
 * One thing that the user asked for, as the sender found it.
 *
 * @param name the name that it arrives under; null when the contents of a directory were asked for,
 *     and for a file without a name, which takes that of the destination
 * @param kind what it is
 * @param mode permission bits of it
 * @param modified its time of last modification; null when its mode and time are to be left alone
 * @param place a number that stands for the directory on the sender's machine, all of which is
 *     copied; 0 when that is not known
 */
public record Root(FileName name, EntryKind kind, int mode, Timestamp modified, long place) {
  /** One whose place is not known. */
  public Root(FileName name, EntryKind kind, int mode, Timestamp modified) {
    this(name, kind, mode, modified, 0);
  }

  /** The same at a place. */
  public Root at(long other) {
    return new Root(name, kind, mode, modified, other);
  }

  /** Whether the entries of a directory were asked for, without the directory itself. */
  public boolean isContents() {
    return name == null && kind == EntryKind.DIRECTORY;
  }

  /** Whether it has no name but that of the destination. */
  public boolean needsName() {
    return name == null && kind == EntryKind.FILE;
  }
}
