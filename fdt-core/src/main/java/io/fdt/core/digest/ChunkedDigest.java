package io.fdt.core.digest;

import java.util.Map;
import java.util.TreeMap;

/**
 * The digest of one file, computed from the hashes of its chunks, which may arrive in any order.
 *
 * <p>Memory: the hashes of chunks behind a gap, 32 bytes for each chunk of 1 MiB. Not thread-safe.
 */
public final class ChunkedDigest {
  private final DigestMethod method;
  private final long chunks;
  private final int hashLength;
  private final TreeHash.Root root;

  /** Hashes of runs of chunks behind a gap, by the number of their first chunk. */
  private final TreeMap<Long, byte[]> ahead = new TreeMap<>();

  private long next;
  private byte[] value;

  /**
   * @param size bytes of the file
   */
  public ChunkedDigest(DigestMethod method, long size) {
    this.method = method;
    this.chunks = method.chunksOf(size);
    this.hashLength = method.hash().length();
    this.root = method.hash().root();
  }

  /**
   * Adds the hashes of consecutive chunks, each chunk once.
   *
   * @param offset start of the first chunk, a multiple of the chunk size
   */
  public void add(long offset, byte[] hashes) {
    if (offset % method.chunkSize() != 0) {
      throw new IllegalArgumentException("no chunk begins at " + offset);
    }
    long number = offset / method.chunkSize();
    if (number > next) {
      ahead.put(number, hashes);
      return;
    }
    take(hashes);
    for (Map.Entry<Long, byte[]> first = ahead.firstEntry();
        first != null && first.getKey() == next;
        first = ahead.firstEntry()) {
      ahead.pollFirstEntry();
      take(first.getValue());
    }
  }

  private void take(byte[] hashes) {
    for (int at = 0; at < hashes.length; at += hashLength) {
      next++;
      root.add(hashes, at, next == chunks);
    }
  }

  /** Whether the hashes of all chunks have been added. */
  public boolean isComplete() {
    return next == chunks;
  }

  /** The digest of the file, once it is complete. */
  public byte[] value() {
    if (!isComplete()) {
      throw new IllegalStateException(next + " of " + chunks + " chunks");
    }
    if (value == null) {
      value = root.value();
    }
    return value;
  }
}
