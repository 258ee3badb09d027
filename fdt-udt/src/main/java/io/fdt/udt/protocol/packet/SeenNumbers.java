package io.fdt.udt.protocol.packet;

import java.util.Arrays;

/**
 * The numbers of the packets that have come: each is taken once. Numbers far below the highest are
 * refused, because it is unknown whether they have come. Memory: 512 bytes. Not thread-safe.
 */
public final class SeenNumbers {
  /** Packets that later ones may overtake: 50 ms at 1 Gbit/s. */
  public static final int WINDOW = 4096;

  private final long[] words = new long[WINDOW / Long.SIZE];
  private long highest;

  /** Whether this number may be a packet's that has not come. Numbers begin with 1. */
  public boolean isNew(long number) {
    if (number > highest) {
      return true;
    }
    return number > 0 && highest - number < WINDOW && (words[word(number)] & bit(number)) == 0;
  }

  /** A packet with a new number has come, and is its sender's. */
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
