package io.fdt.client;

import java.util.function.Supplier;

/**
 * A file that was compared with the destination and not transferred. Valid only during the call
 * that passes it.
 */
public final class FoundFile {
  private final Supplier<String> path;
  private final long size;
  private final long bytesToMove;
  private final boolean replaces;
  private final boolean newer;

  public FoundFile(Supplier<String> path, long size, long bytesToMove, boolean replaces) {
    this(path, size, bytesToMove, replaces, false);
  }

  private FoundFile(
      Supplier<String> path, long size, long bytesToMove, boolean replaces, boolean newer) {
    this.path = path;
    this.size = size;
    this.bytesToMove = bytesToMove;
    this.replaces = replaces;
    this.newer = newer;
  }

  /** A file that stays. */
  public static FoundFile unchanged(Supplier<String> path, long size, boolean newer) {
    return new FoundFile(path, size, 0, false, newer);
  }

  /** The path on this machine, escaped as {@link DoneFile#path}. */
  public String path() {
    return path.get();
  }

  /** The size in bytes. */
  public long size() {
    return size;
  }

  /** Bytes missing at the destination; 0 for an unchanged file. */
  public long bytesToMove() {
    return bytesToMove;
  }

  /** In a dry run: whether it would replace an existing name. */
  public boolean replaces() {
    return replaces;
  }

  /** Whether an unchanged file is kept because it is newer than the source. */
  public boolean newer() {
    return newer;
  }
}
