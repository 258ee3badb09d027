package io.fdt.nio;

/**
 * How much of a file to fetch at once: little at first and after a jump, twice as much with each
 * read that goes on where the last one ended. Pure; not thread-safe.
 */
final class ReadWindow {
  /** One reply of the server. */
  static final int LEAST_BYTES = 64 << 10;

  /** 1 Gbit/s at 8 ms; two of them are the memory of a channel. */
  static final int MOST_BYTES = 1 << 20;

  private long nextOffset;
  private int length = LEAST_BYTES;
  private boolean sequential;

  /**
   * Bytes to fetch for a read.
   *
   * @param offset of its first byte
   * @param wanted by the program; more is fetched, and not more than {@link #MOST_BYTES}
   */
  int next(long offset, int wanted) {
    sequential = offset == nextOffset && offset > 0;
    length = sequential ? Math.min(MOST_BYTES, length * 2) : LEAST_BYTES;
    length = Math.max(length, Math.min(wanted, MOST_BYTES));
    return length;
  }

  /** Notes the end of the fetched bytes; a read from here is sequential. */
  void fetched(long end) {
    nextOffset = end;
  }

  /** Whether the last reads were sequential. */
  boolean isSequential() {
    return sequential;
  }
}
