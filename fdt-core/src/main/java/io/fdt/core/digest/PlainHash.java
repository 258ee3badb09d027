package io.fdt.core.digest;

import io.fdt.core.model.Checksum;
import io.fdt.core.wire.Crc32c;
import io.fdt.core.wire.Crc32cCombine;
import io.netty.buffer.ByteBuf;

/**
 * The hash of a whole file, as printed by sha256sum, md5sum, sha1sum, xxhsum and b3sum. Unlike the
 * digest of a transfer it is not a tree: it needs the bytes in order.
 *
 * <p>Zeros cost as much as other bytes, except for CRC32C, which skips any number of them at once.
 * Not thread-safe. Memory: 64 KiB.
 */
public final class PlainHash {
  private static final int STEP = 32 << 10;
  private static final byte[] ZEROS = new byte[STEP];

  /** Takes bytes in order. */
  private interface Stream {
    void update(byte[] bytes, int length);

    byte[] value();
  }

  /** The hash of the bytes in order; null for CRC32C, which is combined from parts. */
  private final Stream stream;

  private final byte[] step = new byte[STEP];
  private int crc;

  /**
   * A hash without bytes yet.
   *
   * @param checksum not NONE
   * @param size total bytes to be hashed
   */
  public PlainHash(Checksum checksum, long size) {
    this.stream =
        switch (checksum) {
          case SHA256 -> new Flat(FlatHash.SHA256);
          case MD5 -> new Flat(FlatHash.MD5);
          case SHA1 -> new Flat(FlatHash.SHA1);
          case XXH3 -> new Flat(FlatHash.XXH3);
          case BLAKE3 -> new Tree(DigestMethod.of(checksum, DigestMethod.MAX_CHUNK), size);
          case CRC32C -> null;
          case NONE -> throw new IllegalArgumentException("no digest");
        };
  }

  /** Whether the plain hash differs from the digest of a transfer, which is a tree of this hash. */
  public static boolean isOf(Checksum checksum) {
    return switch (checksum) {
      case SHA256, MD5, SHA1, XXH3 -> true;
      case BLAKE3, CRC32C, NONE -> false;
    };
  }

  /** Adds all readable bytes of a block, whose reader and writer index do not move. */
  public void update(ByteBuf block) {
    update(block, block.readerIndex(), block.readableBytes());
  }

  /** Adds a part of a block, whose reader and writer index do not move. */
  public void update(ByteBuf block, int index, int length) {
    if (stream == null) {
      crc = Crc32cCombine.combine(crc, Crc32c.of(block, index, length), length);
      return;
    }
    for (int done = 0; done < length; done += STEP) {
      int part = Math.min(STEP, length - done);
      block.getBytes(index + done, step, 0, part);
      stream.update(step, part);
    }
  }

  /** Adds zeros. */
  public void zeros(long length) {
    if (stream == null) {
      crc = Crc32cCombine.combine(crc, Crc32cCombine.ofZeros(length), length);
      return;
    }
    for (long done = 0; done < length; done += STEP) {
      stream.update(ZEROS, (int) Math.min(STEP, length - done));
    }
  }

  /** The hash of all bytes. Called once. */
  public byte[] finish() {
    return stream == null ? BlockHasher.ofCrc(crc) : stream.value();
  }

  private record Flat(FlatHash.Plain hash, int length) implements Stream {
    Flat(FlatHash of) {
      this(of.plain().get(), of.length());
    }

    @Override
    public void update(byte[] bytes, int length) {
      hash.update(bytes, 0, length);
    }

    @Override
    public byte[] value() {
      byte[] value = new byte[length];
      hash.finish(value, 0);
      return value;
    }
  }

  /** A hash that is itself a tree: takes chunk after chunk, each in units. */
  private static final class Tree implements Stream {
    private final long size;
    private final int chunkSize;
    private final TreeHash.Leaf leaf;
    private final byte[] hash;
    private final TreeHash.Root root;
    private final byte[] unit = new byte[STEP];
    private int filled;
    private long begun;
    private long leftOfChunk;

    Tree(DigestMethod method, long size) {
      this.size = size;
      this.chunkSize = method.chunkSize();
      this.leaf = method.hash().leaf();
      this.root = method.hash().root();
      this.hash = new byte[method.hash().length()];
    }

    @Override
    public void update(byte[] bytes, int length) {
      for (int at = 0; at < length; ) {
        if (leftOfChunk == 0) {
          leftOfChunk = Math.min(chunkSize, size - begun);
          leaf.begin(begun, Math.toIntExact(leftOfChunk), leftOfChunk == size);
          begun += leftOfChunk;
        }
        int part = Math.toIntExact(Math.min(Math.min(length - at, STEP - filled), leftOfChunk));
        System.arraycopy(bytes, at, unit, filled, part);
        filled += part;
        at += part;
        leftOfChunk -= part;
        if (filled == STEP || leftOfChunk == 0) {
          leaf.update(unit, filled);
          filled = 0;
        }
        if (leftOfChunk == 0) {
          leaf.finish(hash, 0);
          root.add(hash, 0, begun == size);
        }
      }
    }

    @Override
    public byte[] value() {
      return root.value();
    }
  }
}
