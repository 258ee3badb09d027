package io.fdt.core.digest;

/**
 * The compression function of BLAKE3: 16 message words and 8 chaining words become 8 words.
 *
 * <p>Each word of the state has a variable, so that the state stays in registers and nothing is
 * allocated. Stateless.
 */
final class Blake3Compression {
  static final int CHUNK_START = 1;
  static final int CHUNK_END = 2;
  static final int PARENT = 4;
  static final int ROOT = 8;

  /** Bytes of one message block. */
  static final int BLOCK = 64;

  /** Words of a chaining value, and of a hash. */
  static final int WORDS = 8;

  private static final int IV0 = 0x6A09E667;
  private static final int IV1 = 0xBB67AE85;
  private static final int IV2 = 0x3C6EF372;
  private static final int IV3 = 0xA54FF53A;

  private static final int[] IV = {
    IV0, IV1, IV2, IV3, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19
  };

  /** The order of the message words in each of seven rounds. */
  private static final int[] SCHEDULE = {
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
    2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8,
    3, 4, 10, 12, 13, 2, 7, 14, 6, 5, 9, 0, 11, 15, 8, 1,
    10, 7, 12, 9, 14, 3, 13, 15, 4, 0, 11, 2, 5, 8, 1, 6,
    12, 13, 9, 11, 15, 10, 14, 8, 7, 2, 5, 3, 0, 1, 6, 4,
    9, 14, 11, 5, 8, 12, 15, 1, 13, 3, 0, 10, 2, 6, 4, 7,
    11, 15, 5, 0, 1, 9, 8, 6, 14, 10, 2, 12, 3, 4, 7, 13
  };

  private Blake3Compression() {}

  /** Sets {@code cv} to the initial chaining value. */
  static void begin(int[] cv) {
    System.arraycopy(IV, 0, cv, 0, WORDS);
  }

  /**
   * Compresses one block.
   *
   * @param cv the chaining value before, from index 0 on
   * @param m the message, 16 words
   * @param counter number of the chunk of 1024 bytes, 0 for parents
   * @param length bytes of the message in use
   * @param out gets the new chaining value, from {@code at} on; may be {@code cv}
   */
  static void compress(int[] cv, int[] m, long counter, int length, int flags, int[] out, int at) {
    int v0 = cv[0];
    int v1 = cv[1];
    int v2 = cv[2];
    int v3 = cv[3];
    int v4 = cv[4];
    int v5 = cv[5];
    int v6 = cv[6];
    int v7 = cv[7];
    int v8 = IV0;
    int v9 = IV1;
    int v10 = IV2;
    int v11 = IV3;
    int v12 = (int) counter;
    int v13 = (int) (counter >>> 32);
    int v14 = length;
    int v15 = flags;
    int[] s = SCHEDULE;
    for (int r = 0; r < s.length; r += 16) {
      v0 += v4 + m[s[r + 0]];
      v12 = Integer.rotateRight(v12 ^ v0, 16);
      v8 += v12;
      v4 = Integer.rotateRight(v4 ^ v8, 12);
      v0 += v4 + m[s[r + 1]];
      v12 = Integer.rotateRight(v12 ^ v0, 8);
      v8 += v12;
      v4 = Integer.rotateRight(v4 ^ v8, 7);
      v1 += v5 + m[s[r + 2]];
      v13 = Integer.rotateRight(v13 ^ v1, 16);
      v9 += v13;
      v5 = Integer.rotateRight(v5 ^ v9, 12);
      v1 += v5 + m[s[r + 3]];
      v13 = Integer.rotateRight(v13 ^ v1, 8);
      v9 += v13;
      v5 = Integer.rotateRight(v5 ^ v9, 7);
      v2 += v6 + m[s[r + 4]];
      v14 = Integer.rotateRight(v14 ^ v2, 16);
      v10 += v14;
      v6 = Integer.rotateRight(v6 ^ v10, 12);
      v2 += v6 + m[s[r + 5]];
      v14 = Integer.rotateRight(v14 ^ v2, 8);
      v10 += v14;
      v6 = Integer.rotateRight(v6 ^ v10, 7);
      v3 += v7 + m[s[r + 6]];
      v15 = Integer.rotateRight(v15 ^ v3, 16);
      v11 += v15;
      v7 = Integer.rotateRight(v7 ^ v11, 12);
      v3 += v7 + m[s[r + 7]];
      v15 = Integer.rotateRight(v15 ^ v3, 8);
      v11 += v15;
      v7 = Integer.rotateRight(v7 ^ v11, 7);
      v0 += v5 + m[s[r + 8]];
      v15 = Integer.rotateRight(v15 ^ v0, 16);
      v10 += v15;
      v5 = Integer.rotateRight(v5 ^ v10, 12);
      v0 += v5 + m[s[r + 9]];
      v15 = Integer.rotateRight(v15 ^ v0, 8);
      v10 += v15;
      v5 = Integer.rotateRight(v5 ^ v10, 7);
      v1 += v6 + m[s[r + 10]];
      v12 = Integer.rotateRight(v12 ^ v1, 16);
      v11 += v12;
      v6 = Integer.rotateRight(v6 ^ v11, 12);
      v1 += v6 + m[s[r + 11]];
      v12 = Integer.rotateRight(v12 ^ v1, 8);
      v11 += v12;
      v6 = Integer.rotateRight(v6 ^ v11, 7);
      v2 += v7 + m[s[r + 12]];
      v13 = Integer.rotateRight(v13 ^ v2, 16);
      v8 += v13;
      v7 = Integer.rotateRight(v7 ^ v8, 12);
      v2 += v7 + m[s[r + 13]];
      v13 = Integer.rotateRight(v13 ^ v2, 8);
      v8 += v13;
      v7 = Integer.rotateRight(v7 ^ v8, 7);
      v3 += v4 + m[s[r + 14]];
      v14 = Integer.rotateRight(v14 ^ v3, 16);
      v9 += v14;
      v4 = Integer.rotateRight(v4 ^ v9, 12);
      v3 += v4 + m[s[r + 15]];
      v14 = Integer.rotateRight(v14 ^ v3, 8);
      v9 += v14;
      v4 = Integer.rotateRight(v4 ^ v9, 7);
    }
    out[at + 0] = v0 ^ v8;
    out[at + 1] = v1 ^ v9;
    out[at + 2] = v2 ^ v10;
    out[at + 3] = v3 ^ v11;
    out[at + 4] = v4 ^ v12;
    out[at + 5] = v5 ^ v13;
    out[at + 6] = v6 ^ v14;
    out[at + 7] = v7 ^ v15;
  }
}
