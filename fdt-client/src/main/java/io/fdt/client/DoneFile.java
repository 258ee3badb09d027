package io.fdt.client;

import java.util.HexFormat;
import java.util.function.Supplier;

/**
 * A transferred file, verified unless it has no digest. Valid only during the call that passes it.
 */
public final class DoneFile {
  private final Supplier<String> path;
  private final long size;
  private final boolean resumed;
  private final String construction;
  private final byte[] digest;

  public DoneFile(
      Supplier<String> path, long size, boolean resumed, String construction, byte[] digest) {
    this.path = path;
    this.size = size;
    this.resumed = resumed;
    this.construction = construction;
    this.digest = digest;
  }

  /** The path on this machine; control characters and invalid UTF-8 are escaped. */
  public String path() {
    return path.get();
  }

  /** The size in bytes. */
  public long size() {
    return size;
  }

  /**
   * Whether some bytes come from an interrupted transfer, with the source proven unchanged since.
   */
  public boolean resumed() {
    return resumed;
  }

  /**
   * The construction of its digest: crc32c, blake3, or a hash with the size of its chunks, as in
   * sha256-1MiB. docs/PROTOCOL.md describes how other programs compute each.
   */
  public String construction() {
    return construction;
  }

  /** The digest in lower-case hexadecimal digits; empty when there is none. */
  public String digest() {
    return HexFormat.of().formatHex(digest);
  }
}
