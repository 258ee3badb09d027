package io.fdt.core.session.sender;

/**
 * The bytes and files that a session may hash before the receiver answers. Not thread-safe:
 * confined to its {@link SenderMachine}.
 */
final class HashWindow {
  /** The receiver has the hashes of as many bytes in memory. */
  private static final long MAX_BYTES = 256L << 20;

  /** Files that are hashed have their outcome late: both ends may have them open until then. */
  private static final int MAX_FILES = 64;

  private long bytes;
  private int files;

  boolean hasRoom() {
    return bytes < MAX_BYTES;
  }

  boolean hasPlace() {
    return files < MAX_FILES;
  }

  void add(long more) {
    bytes += more;
  }

  void addFiles(int more) {
    files += more;
  }
}
