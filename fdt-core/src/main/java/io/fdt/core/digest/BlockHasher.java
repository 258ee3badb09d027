package io.fdt.core.digest;

import io.fdt.core.wire.Crc32c;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/**
 * Hashes blocks without copying them. Allocates only its results.
 *
 * <p>Not thread-safe: one for each thread. Memory: slightly above 64 KiB.
 */
public final class BlockHasher {
  /** Bytes hashed at a time, which fit into the L1 data cache. */
  private static final int STEP = 32 << 10;

  private static final byte[] ZEROS = new byte[STEP];

  private final DigestMethod method;
  private final TreeHash.Leaf leaf;
  private final byte[] step;

  /** The hash of a whole chunk of zeros; null until first use. */
  private byte[] zeroChunk;

  public BlockHasher(DigestMethod method) {
    this.method = method;
    this.leaf = method.isOfChunks() ? method.hash().leaf() : null;
    this.step = method.isOfChunks() ? new byte[STEP] : new byte[0];
  }

  /**
   * The concatenated hashes of the chunks of a block.
   *
   * @param index start of the block in the buffer, whose reader and writer index do not move
   * @param offset start of the block in its file, a multiple of the chunk size
   * @param size bytes of the whole file; the block ends at the end of a chunk or of the file
   */
  public byte[] chunks(ByteBuf buffer, int index, int length, long offset, long size) {
    byte[] hashes = hashesOf(length, offset, size);
    int chunk = method.chunkSize();
    int hashLength = method.hash().length();
    int at = 0;
    for (int done = 0; done < length; done += chunk) {
      int part = Math.min(chunk, length - done);
      leaf.begin(offset + done, part, part == size);
      hash(buffer, index + done, part);
      leaf.finish(hashes, at);
      at += hashLength;
    }
    return hashes;
  }

  /**
   * Like {@link #chunks}, for a block of zeros, which need not be in memory. The hash of a chunk is
   * computed once if it does not depend on the chunk's place.
   */
  public byte[] zeros(int length, long offset, long size) {
    byte[] hashes = hashesOf(length, offset, size);
    int chunk = method.chunkSize();
    int hashLength = method.hash().length();
    int at = 0;
    for (int done = 0; done < length; done += chunk) {
      int part = Math.min(chunk, length - done);
      if (part < chunk || method.hash().dependsOnPlace()) {
        hashZeros(offset + done, part, part == size, hashes, at);
      } else {
        if (zeroChunk == null) {
          zeroChunk = new byte[hashLength];
          hashZeros(offset + done, part, part == size, zeroChunk, 0);
        }
        System.arraycopy(zeroChunk, 0, hashes, at, hashLength);
      }
      at += hashLength;
    }
    return hashes;
  }

  private void hashZeros(long offset, int length, boolean only, byte[] out, int at) {
    leaf.begin(offset, length, only);
    for (int done = 0; done < length; done += STEP) {
      leaf.update(ZEROS, Math.min(STEP, length - done));
    }
    leaf.finish(out, at);
  }

  /** An array for the hashes of a block that begins and ends at chunk boundaries. */
  private byte[] hashesOf(int length, long offset, long size) {
    int chunk = method.chunkSize();
    if (offset % chunk != 0 || (length % chunk != 0 && offset + length != size)) {
      throw new IllegalArgumentException("no chunks: " + offset + "+" + length + " of " + size);
    }
    return new byte[Math.toIntExact(method.chunksOf(length) * method.hash().length())];
  }

  private void hash(ByteBuf buffer, int index, int length) {
    for (int done = 0; done < length; done += STEP) {
      int part = Math.min(STEP, length - done);
      buffer.getBytes(index + done, step, 0, part);
      leaf.update(step, part);
    }
  }

  /** The digest of a whole file that is in memory; empty without a digest. */
  public byte[] whole(ByteBuf buffer, int index, int length) {
    if (!method.isPresent()) {
      return new byte[0];
    }
    if (!method.isOfChunks()) {
      return ofCrc(Crc32c.of(buffer, index, length));
    }
    ChunkedDigest digest = new ChunkedDigest(method, length);
    digest.add(0, chunks(buffer, index, length, 0, length));
    return digest.value();
  }

  /** A CRC32C as a digest: its four bytes, the most significant one first. */
  public static byte[] ofCrc(int crc) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(crc).array();
  }
}
