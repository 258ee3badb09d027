package io.fdt.core.digest;

import io.fdt.core.wire.Crc32c;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/**
 * Hashes blocks where they lie in memory. Allocates nothing but its results.
 *
 * <p>Not thread-safe: one for each thread. Memory: 64 KiB and a little.
 */
public final class BlockHasher {
  /** Fits into the first level of a processor's cache together with little else. */
  private static final int STEP = 32 << 10;

  private static final byte[] ZEROS = new byte[STEP];

  private final DigestMethod method;
  private final TreeHash.Leaf leaf;
  private final byte[] step;

  /** The hash of a whole chunk of zeros; null until one was needed. */
  private byte[] zeroChunk;

  public BlockHasher(DigestMethod method) {
    this.method = method;
    this.leaf = method.isOfChunks() ? method.hash().leaf() : null;
    this.step = method.isOfChunks() ? new byte[STEP] : new byte[0];
  }

  /**
   * The hashes of the chunks of a block, one behind another.
   *
   * @param index where the block begins in the buffer, whose indices stay
   * @param offset where it begins in its file: a multiple of the chunk size
   * @param size bytes of the whole file; the block ends where a chunk does, or the file
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
   * As {@link #chunks}, of a block of zeros, which need not be in memory. Where the hash of a chunk
   * does not depend on its place, it is computed once.
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

  /** Room for the hashes of a block that begins and ends where chunks do. */
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

  /** The digest of a whole file that is in memory; empty when there is none. */
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
