package io.fdt.core.digest;

/**
 * A hash of a file, computed from hashes of its chunks, which can be computed anywhere and in any
 * order.
 *
 * <pre>
 *   chunk 0    chunk 1    ...    last chunk        each: Leaf
 *      '----------+----------------'
 *               root                               in order: Root
 * </pre>
 */
interface TreeHash {
  /** Bytes of each hash. */
  int length();

  /**
   * Whether the hash of a chunk depends on its place, so that equal chunks have different hashes.
   */
  boolean dependsOnPlace();

  /** A state that hashes one chunk after another. */
  Leaf leaf();

  /** A state that computes the hash of one file. */
  Root root();

  /** Hashes chunks. Not thread-safe. */
  interface Leaf {
    /** The size of each update is a multiple of this, except the last of a chunk. */
    int UNIT = 1 << 10;

    /**
     * Begins a chunk.
     *
     * @param offset start of the chunk in its file
     * @param length bytes of the chunk
     * @param only whether the file has no other chunk
     */
    void begin(long offset, int length, boolean only);

    /** Adds bytes of the chunk, from the start of an array. */
    void update(byte[] bytes, int length);

    /** Completes the chunk, and writes its hash to {@code out}. */
    void finish(byte[] out, int at);
  }

  /** Joins the hashes of a file's chunks. Not thread-safe. */
  interface Root {
    /**
     * Adds the hash of the next chunk.
     *
     * @param last whether it is the last one
     */
    void add(byte[] hashes, int at, boolean last);

    /** The hash of the file, once all chunks were added; an empty file has none. */
    byte[] value();
  }
}
