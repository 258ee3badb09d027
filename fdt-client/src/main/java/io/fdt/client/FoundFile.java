package io.fdt.client;

import java.util.function.Supplier;

/**
 * A file that was compared with the destination, and not moved. To be asked while it is told of:
 * what it knows is not kept.
 */
public final class FoundFile {
  private final Supplier<String> path;
  private final long size;
  private final long bytesToMove;

  FoundFile(Supplier<String> path, long size, long bytesToMove) {
    this.path = path;
    this.size = size;
    this.bytesToMove = bytesToMove;
  }

  /** Its path on this machine, escaped as {@link DoneFile#path}. */
  public String path() {
    return path.get();
  }

  /** Bytes. */
  public long size() {
    return size;
  }

  /** Bytes of it that are not at the destination: of an unchanged file none. */
  public long bytesToMove() {
    return bytesToMove;
  }
}
