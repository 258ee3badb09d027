package io.fdt.core.digest;

import io.fdt.core.model.Checksum;

/**
 * The construction of file digests in one session.
 *
 * <p>CRC32C is combined from the checksums of blocks (see {@code Crc32cCombine}). All other digests
 * are computed from the hashes of chunks: the file is cut from its start into pieces of the chunk
 * size; the last one may be shorter. Blocks begin and end at chunk boundaries, so that each can be
 * hashed separately.
 *
 * @param checksum the hash
 * @param chunkSize bytes of a chunk: 1 MiB, or the largest power of two within a smaller block
 */
public record DigestMethod(Checksum checksum, int chunkSize) {
  /** The largest chunk, with a hash of up to 32 bytes. */
  public static final int MAX_CHUNK = 1 << 20;

  /** Bytes of the longest digest. */
  public static final int MAX_LENGTH = 32;

  /** The method of a session with blocks of this size. */
  public static DigestMethod of(Checksum checksum, int blockSize) {
    return new DigestMethod(checksum, Integer.highestOneBit(Math.min(blockSize, MAX_CHUNK)));
  }

  /** Whether the digest is computed from the hashes of chunks. */
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

  /**
   * Bytes of digest sent with each file of a pack, besides the CRC32C in the record of the file.
   */
  public int packedLength() {
    return isOfChunks() ? hash().length() : 0;
  }

  /** The longest block up to this size that ends at a chunk boundary. */
  public int alignedBlock(int blockSize) {
    return isOfChunks() ? blockSize - blockSize % chunkSize : blockSize;
  }

  /** Whether a block of a file of this size may begin or end here. */
  public boolean isCutAt(long offset, long size) {
    return !isOfChunks() || offset % chunkSize == 0 || offset == size;
  }

  /** The first offset from {@code offset} on at which a block may begin. */
  public long cutAtOrAfter(long offset, long size) {
    return isCutAt(offset, size) ? offset : Math.min(size, offset - offset % chunkSize + chunkSize);
  }

  /** The last offset up to {@code offset} at which a block may end. */
  public long cutAtOrBefore(long offset, long size) {
    return isCutAt(offset, size) ? offset : offset - offset % chunkSize;
  }

  /** The displayed name of the construction: everything needed to compute the digest again. */
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

  /** The number of chunks of a file. */
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
