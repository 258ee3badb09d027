package io.fdt.udt.protocol.packet;

import java.util.Arrays;

/**
 * The numbers of received packets, to reject replays. Numbers far below the highest are refused,
 * because it is unknown whether they were received. Memory: 512 bytes. Not thread-safe.
 */
public final class SeenNumbers {
  /** The reordering that is tolerated, in packets: 50 ms at 1 Gbit/s. */
  public static final int WINDOW = 4096;

  private final long[] words = new long[WINDOW / Long.SIZE];
  private long highest;

  /** Whether a packet with this number may be new. Numbers begin with 1. */
  public boolean isNew(long number) {
    if (number > highest) {
      return true;
    }
    return number > 0 && highest - number < WINDOW && (words[word(number)] & bit(number)) == 0;
  }

  /** Adds the number of an authentic packet. */
  public void add(long number) {
    if (number - highest >= WINDOW) {
      Arrays.fill(words, 0);
      highest = number;
    }
    while (highest < number) {
      highest++;
      words[word(highest)] &= ~bit(highest);
    }
    words[word(number)] |= bit(number);
  }

  private static int word(long number) {
    return (int) (number % WINDOW) / Long.SIZE;
  }

  private static long bit(long number) {
    return 1L << number;
  }
}
