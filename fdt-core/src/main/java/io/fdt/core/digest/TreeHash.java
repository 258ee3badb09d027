package io.fdt.core.digest;

/**
 * A hash of a file that is made of hashes of its chunks, which can be computed anywhere and in any
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

  /** Whether the hash of a chunk depends on its place, so that equal chunks differ. */
  boolean dependsOnPlace();

  /** A state that hashes one chunk after another. */
  Leaf leaf();

  /** A state that makes the hash of one file. */
  Root root();

  /** Hashes chunks. Not thread-safe. */
  interface Leaf {
    /** Bytes in every update but the last of a chunk are a multiple of this. */
    int UNIT = 1 << 10;

    /**
     * A chunk begins.
     *
     * @param offset where it lies in its file
     * @param length bytes of it
     * @param only whether the file has no other chunk
     */
    void begin(long offset, int length, boolean only);

    /** The next bytes of the chunk, from the start of an array. */
    void update(byte[] bytes, int length);

    /** The chunk is complete: puts its hash into {@code out}. */
    void finish(byte[] out, int at);
  }

  /** Joins the hashes of a file's chunks. Not thread-safe. */
  interface Root {
    /**
     * The hash of the next chunk.
     *
     * @param last whether no other follows
     */
    void add(byte[] hashes, int at, boolean last);

    /** The hash of the file, once all chunks were added; those of an empty file are none. */
    byte[] value();
  }
}
