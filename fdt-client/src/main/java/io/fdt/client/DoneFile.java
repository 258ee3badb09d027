package io.fdt.client;

import java.util.HexFormat;
import java.util.function.Supplier;

/** A transferred and verified file. Valid only during the call that passes it. */
public final class DoneFile {
  private final Supplier<String> path;
  private final long size;
  private final String construction;
  private final byte[] digest;

  DoneFile(Supplier<String> path, long size, String construction, byte[] digest) {
    this.path = path;
    this.size = size;
    this.construction = construction;
    this.digest = digest;
  }

  /** Its path on this machine, for people: control characters and what is no text are escaped. */
  public String path() {
    return path.get();
  }

  /** Bytes. */
  public long size() {
    return size;
  }

  /**
   * How its digest is made: crc32c, blake3, or a hash with the size of its chunks, as in
   * sha256-1MiB. docs/PROTOCOL.md says how other programs compute each.
   */
  public String construction() {
    return construction;
  }

  /** Its digest in lower-case hexadecimal digits; empty when there is none. */
  public String digest() {
    return HexFormat.of().formatHex(digest);
  }
}
