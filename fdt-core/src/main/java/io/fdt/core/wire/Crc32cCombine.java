package io.fdt.core.wire;

/**
 * Arithmetic on CRC-32C values that gives the checksum of a whole from the checksums of its parts.
 *
 * <p>A CRC is the remainder of a polynomial over GF(2) modulo P, here Castagnoli's, whose
 * coefficients are 0x82F63B78 in reflected order: the most significant bit of an int is the
 * coefficient of x^0. To append n bytes is to multiply what came before by x^(8n):
 *
 * <pre>
 *   crc(A || B)   =  crc(A) * x^(8 |B|) mod P   XOR   crc(B)
 *   crc(file)     =  XOR over its blocks of  crc(block) * x^(8 (size - end of block)) mod P
 * </pre>
 *
 * <p>The inversions at the start and the end of a CRC cancel out, as they do in {@code
 * crc32_combine} of Mark Adler's zlib, whose {@code multmodp} this follows. So blocks may be added
 * in any order, and no byte is read twice.
 *
 * <p>x^(8n) is a product of eight factors, one for each byte of n, from a table. (zlib keeps only
 * x^(2^k) for k below 32 and wraps around there; that is right for its polynomial, which is
 * irreducible, and wrong for this one, which is divisible by x + 1.) Cost: at most eight
 * multiplications of 32 steps; 8 KiB of table.
 *
 * <p>Stateless; any thread.
 */
public final class Crc32cCombine {
  private static final int POLYNOMIAL = 0x82F63B78;
  private static final int ONE = 1 << 31;
  private static final int X_TO_THE_8 = 1 << 23;
  private static final int DIGITS = 256;

  /** {@code POWERS[256 i + d]} is x^(8 d 256^i) mod P. */
  private static final int[] POWERS = powers();

  private Crc32cCombine() {}

  /**
   * The contribution of a part to the checksum of a whole, with {@code length} bytes after it.
   *
   * @param crc the checksum of the part
   * @param length bytes after the part, 0 or more
   */
  public static int shift(int crc, long length) {
    if (length < 0) {
      throw new IllegalArgumentException("negative length: " + length);
    }
    int shifted = crc;
    int row = 0;
    for (long rest = length; rest != 0; rest >>>= 8) {
      int digit = (int) (rest & 0xFF);
      if (digit != 0) {
        shifted = multiply(shifted, POWERS[row + digit]);
      }
      row += DIGITS;
    }
    return shifted;
  }

  /** The checksum of A followed by B, of the checksums of A and B and the length of B. */
  public static int combine(int crcA, int crcB, long lengthB) {
    return shift(crcA, lengthB) ^ crcB;
  }

  /** The checksum of {@code length} zero bytes. */
  public static int ofZeros(long length) {
    return ~shift(-1, length);
  }

  /** The product of two polynomials modulo P; without branches, so always 32 steps. */
  private static int multiply(int a, int b) {
    int product = 0;
    int rest = a;
    int multiple = b;
    for (int i = 0; i < Integer.SIZE; i++) {
      product ^= multiple & (rest >> 31);
      rest <<= 1;
      multiple = (multiple >>> 1) ^ (POLYNOMIAL & -(multiple & 1));
    }
    return product;
  }

  private static int[] powers() {
    int[] powers = new int[Long.BYTES * DIGITS];
    int base = X_TO_THE_8;
    for (int row = 0; row < powers.length; row += DIGITS) {
      powers[row] = ONE;
      for (int digit = 1; digit < DIGITS; digit++) {
        powers[row + digit] = multiply(powers[row + digit - 1], base);
      }
      base = multiply(powers[row + DIGITS - 1], base);
    }
    return powers;
  }
}
