package io.fdt.core.digest;

import io.fdt.core.model.Checksum;
import io.netty.buffer.ByteBuf;

/**
 * The hash of a file's bytes from the first to the last, as sha256sum, md5sum, sha1sum and xxhsum
 * print it. Unlike the digest of a transfer it is no tree, so that its bytes have to come in order.
 *
 * <p>Not thread-safe. Memory: 32 KiB.
 */
public final class PlainHash {
  private static final int STEP = 32 << 10;

  private final FlatHash.Plain hash;
  private final int length;
  private final byte[] step = new byte[STEP];

  /** A hash of which no byte has come. */
  public PlainHash(Checksum checksum) {
    FlatHash flat = of(checksum);
    this.hash = flat.plain().get();
    this.length = flat.length();
  }

  /** Whether the digest of a transfer is a tree of this hash, and so another one. */
  public static boolean isOf(Checksum checksum) {
    return switch (checksum) {
      case SHA256, MD5, SHA1, XXH3 -> true;
      case BLAKE3, CRC32C, NONE -> false;
    };
  }

  private static FlatHash of(Checksum checksum) {
    return switch (checksum) {
      case SHA256 -> FlatHash.SHA256;
      case MD5 -> FlatHash.MD5;
      case SHA1 -> FlatHash.SHA1;
      case XXH3 -> FlatHash.XXH3;
      case BLAKE3, CRC32C, NONE ->
          throw new IllegalArgumentException(checksum + " is the same for a transfer");
    };
  }

  /** The next bytes: all readable ones of a block, whose indices stay. */
  public void update(ByteBuf block) {
    int end = block.writerIndex();
    for (int at = block.readerIndex(); at < end; at += STEP) {
      int part = Math.min(STEP, end - at);
      block.getBytes(at, step, 0, part);
      hash.update(step, 0, part);
    }
  }

  /** The hash of what has come; the next byte is the first one of another file. */
  public byte[] finish() {
    byte[] value = new byte[length];
    hash.finish(value, 0);
    return value;
  }
}
