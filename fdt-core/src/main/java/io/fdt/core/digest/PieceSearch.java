package io.fdt.core.digest;

import io.fdt.core.wire.Crc32cCombine;
import java.util.OptionalLong;
import java.util.zip.CRC32C;

/**
 * Finds pieces of one version of a file at any offset of another one, by their weak hashes of
 * {@link PieceHasher#SMALLEST} bytes: zsync's search, with a CRC32C in place of Adler's sum.
 *
 * <p>A window of one piece moves over the bytes. A CRC is linear over GF(2), so that it follows
 * with two lookups for each byte: one adds the next byte, and one removes the first.
 *
 * <pre>
 *   bytes:    ... b0 [b1 ........ b4096] b4097 ...
 *   raw CRC:  next = add(crc, b4097) XOR removed(b1),  removed(b) = crc(b) * x^(8 * 4096) mod P
 * </pre>
 *
 * <p>A hash of 32 bits is found by chance once in 4 GiB for each piece; so two adjacent pieces must
 * be found. Cost: 25 to 33 bytes for each piece, and 128 KiB. Not thread-safe.
 */
public final class PieceSearch {
  /** Bytes of a piece. */
  private static final int PIECE = PieceHasher.SMALLEST;

  /** Bytes from the start of a window to the end of the piece after it. */
  public static final int PAIR = 2 * PIECE;

  private static final int POLYNOMIAL = 0x82F63B78;
  private static final int[] ADDED = added();
  private static final int[] REMOVED = removed();

  /** The difference between the CRC32C of a piece and its raw CRC, which begins with 0. */
  private static final int INVERSIONS = Crc32cCombine.ofZeros(PIECE);

  /** Bits of a raw CRC that choose a bit of the filter: its 128 KiB stay in a cache. */
  private static final int FILTER_MASK = (1 << 20) - 1;

  /** Knuth's multiplicative hashing: 2^32 divided by the golden ratio. */
  private static final int SPREAD = 0x9E3779B9;

  /** Slots that a piece may have: a peer may choose its hashes so that they collide. */
  private static final int MAX_PROBES = 16;

  /** The most wrong pairs of a piece, such as one of zeros, after which it is left out. */
  private static final int MAX_WRONG = 16;

  private final long[] filter = new long[(FILTER_MASK + 1) / Long.SIZE];

  /** A hash table: the number of a piece plus 1, and 0 for a free slot. */
  private final int[] slots;

  private final int slotShift;

  /** For each piece its raw CRC, the CRC32C of the piece after it, and its offset. */
  private final int[] raws;

  private final int[] following;
  private final long[] offsets;
  private final byte[] wrong;
  private int count;
  private final CRC32C crc = new CRC32C();

  /**
   * @param pieces the most that are added
   */
  public PieceSearch(int pieces) {
    int slotBits = Integer.SIZE - Integer.numberOfLeadingZeros(2 * pieces + 1);
    slots = new int[1 << slotBits];
    slotShift = Integer.SIZE - slotBits;
    raws = new int[pieces];
    following = new int[pieces];
    offsets = new long[pieces];
    wrong = new byte[pieces];
  }

  /**
   * Adds a piece, unless it equals the one after it, which is found in too many places, or one that
   * was added.
   *
   * @param hash its CRC32C
   * @param next that of the piece after it
   */
  public void add(long offset, int hash, int next) {
    int raw = hash ^ INVERSIONS;
    int slot = slotOf(raw);
    if (hash != next && slot >= 0 && slots[slot] == 0) {
      filter[(raw & FILTER_MASK) / Long.SIZE] |= 1L << raw;
      raws[count] = raw;
      following[count] = next;
      offsets[count] = offset;
      slots[slot] = ++count;
    }
  }

  /** The slot of a raw CRC, or the free one where it belongs; -1 for none. */
  private int slotOf(int raw) {
    int slot = (raw * SPREAD) >>> slotShift;
    for (int probes = 0; probes < MAX_PROBES; probes++) {
      if (slots[slot] == 0 || raws[slots[slot] - 1] == raw) {
        return slot;
      }
      slot = (slot + 1) & (slots.length - 1);
    }
    return -1;
  }

  /**
   * Searches for a pair of pieces.
   *
   * @param at offset of the bytes in their file
   * @return how far a pair has moved: its offset here minus its own
   */
  public OptionalLong find(byte[] bytes, int length, long at) {
    if (length < PAIR || count == 0) {
      return OptionalLong.empty();
    }
    int raw = 0;
    for (int i = 0; i < PIECE; i++) {
      raw = ADDED[(raw ^ bytes[i]) & 0xFF] ^ (raw >>> Byte.SIZE);
    }
    for (int start = 0; ; start++) {
      if ((filter[(raw & FILTER_MASK) / Long.SIZE] & 1L << raw) != 0) {
        int found = find(raw, bytes, start);
        if (found >= 0) {
          return OptionalLong.of(at + start - offsets[found]);
        }
      }
      if (start + PAIR == length) {
        return OptionalLong.empty();
      }
      raw =
          ADDED[(raw ^ bytes[start + PIECE]) & 0xFF]
              ^ (raw >>> Byte.SIZE)
              ^ REMOVED[bytes[start] & 0xFF];
    }
  }

  /** The number of a piece with this CRC that is followed by the right one; -1 for none. */
  private int find(int raw, byte[] bytes, int start) {
    int slot = slotOf(raw);
    int piece = slot < 0 ? -1 : slots[slot] - 1;
    if (piece < 0 || wrong[piece] == MAX_WRONG) {
      return -1;
    }
    crc.reset();
    crc.update(bytes, start + PIECE, PIECE);
    if ((int) crc.getValue() == following[piece]) {
      return piece;
    }
    wrong[piece]++;
    return -1;
  }

  private static int[] added() {
    int[] table = new int[256];
    for (int value = 0; value < table.length; value++) {
      int rest = value;
      for (int bit = 0; bit < Byte.SIZE; bit++) {
        rest = (rest >>> 1) ^ (POLYNOMIAL & -(rest & 1));
      }
      table[value] = rest;
    }
    return table;
  }

  private static int[] removed() {
    int[] table = new int[ADDED.length];
    for (int value = 0; value < table.length; value++) {
      table[value] = Crc32cCombine.shift(ADDED[value], PIECE);
    }
    return table;
  }
}
