package io.fdt.nio;

/**
 * The number of bytes to fetch at once: few at first and after a jump, twice as many with each
 * sequential read. Pure; not thread-safe.
 */
final class ReadWindow {
  /** The smallest window: one reply of the server. */
  static final int LEAST_BYTES = 64 << 10;

  /** The largest window: 1 Gbit/s x 8 ms. A channel has two in memory. */
  static final int MOST_BYTES = 1 << 20;

  private long nextOffset;
  private int length = LEAST_BYTES;
  private boolean sequential;

  /**
   * Bytes to fetch for a read.
   *
   * @param offset of its first byte
   * @param wanted by the program; at most {@link #MOST_BYTES} are fetched
   */
  int next(long offset, int wanted) {
    sequential = offset == nextOffset && offset > 0;
    length = sequential ? Math.min(MOST_BYTES, length * 2) : LEAST_BYTES;
    length = Math.max(length, Math.min(wanted, MOST_BYTES));
    return length;
  }

  /** Records the end of the fetched bytes; a read from here is sequential. */
  void fetched(long end) {
    nextOffset = end;
  }

  /** Whether the last reads were sequential. */
  boolean isSequential() {
    return sequential;
  }
}
