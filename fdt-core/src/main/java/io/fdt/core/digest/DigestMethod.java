package io.fdt.core.digest;

import io.fdt.core.model.Checksum;

/**
 * How the digest of a file is made in one session.
 *
 * <p>CRC32C is put together of the checksums of blocks (see {@code Crc32cCombine}). The others are
 * made of the hashes of chunks: the file is cut from its start into pieces of the chunk size, the
 * last one shorter. Blocks begin and end where chunks do, so that a block can be hashed alone.
 *
 * @param checksum which one
 * @param chunkSize bytes of a chunk: 1 MiB, or the largest power of two within a smaller block
 */
public record DigestMethod(Checksum checksum, int chunkSize) {
  /** The bytes read at a stretch, which a hash of 32 bytes stands for. */
  public static final int MAX_CHUNK = 1 << 20;

  /** Bytes of the longest digest. */
  public static final int MAX_LENGTH = 32;

  /** The method of a session with blocks of this size. */
  public static DigestMethod of(Checksum checksum, int blockSize) {
    return new DigestMethod(checksum, Integer.highestOneBit(Math.min(blockSize, MAX_CHUNK)));
  }

  /** Whether it is made of the hashes of chunks. */
  public boolean isOfChunks() {
    return switch (checksum) {
      case XXH3, BLAKE3, SHA256, MD5, SHA1 -> true;
      case CRC32C, NONE -> false;
    };
  }

  /** Whether there is a digest. */
  public boolean isPresent() {
    return checksum != Checksum.NONE;
  }

  /** Bytes that go with each file in a pack, because the record of a pack has room for a CRC32C. */
  public int packedLength() {
    return isOfChunks() ? hash().length() : 0;
  }

  /** The longest block that is not longer than this and ends where a chunk does. */
  public int alignedBlock(int blockSize) {
    return isOfChunks() ? blockSize - blockSize % chunkSize : blockSize;
  }

  /** Whether a block of a file of this size may begin or end here. */
  public boolean isCutAt(long offset, long size) {
    return !isOfChunks() || offset % chunkSize == 0 || offset == size;
  }

  /** The first place from {@code offset} on where a block may begin. */
  public long cutAtOrAfter(long offset, long size) {
    return isCutAt(offset, size) ? offset : Math.min(size, offset - offset % chunkSize + chunkSize);
  }

  /** The last place up to {@code offset} where a block may end. */
  public long cutAtOrBefore(long offset, long size) {
    return isCutAt(offset, size) ? offset : offset - offset % chunkSize;
  }

  /** The construction's name, for people: everything that is needed to make the digest again. */
  public String construction() {
    return switch (checksum) {
      case CRC32C, BLAKE3, NONE -> checksum.text();
      case XXH3, SHA256, MD5, SHA1 -> checksum.text() + "-" + chunkText();
    };
  }

  private String chunkText() {
    return chunkSize == MAX_CHUNK
        ? "1MiB"
        : chunkSize >= 1 << 10 ? (chunkSize >> 10) + "KiB" : chunkSize + "B";
  }

  /** How many chunks a file has. */
  long chunksOf(long size) {
    return (size + chunkSize - 1) / chunkSize;
  }

  TreeHash hash() {
    return switch (checksum) {
      case XXH3 -> FlatHash.XXH3;
      case BLAKE3 -> Blake3.HASH;
      case SHA256 -> FlatHash.SHA256;
      case MD5 -> FlatHash.MD5;
      case SHA1 -> FlatHash.SHA1;
      case CRC32C, NONE -> throw new IllegalStateException(checksum + " has no chunks");
    };
  }
}
