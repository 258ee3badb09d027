package io.fdt.core.digest;

import io.fdt.core.wire.Crc32c;
import io.netty.buffer.ByteBuf;
import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The hashes by which pieces of two versions of a file are compared. A weak one, CRC32C, finds most
 * different pieces at the speed of memory. A strong one, the first 128 bits of SHA-256, decides:
 * the author of a file would need 2^64 attempts for two pieces with the same hash.
 *
 * <p>Not thread-safe: one for each thread.
 */
public final class PieceHasher {
  /** Bytes of the smallest piece: a page of most systems and databases. */
  public static final int SMALLEST = 4 << 10;

  /** Bytes of the largest piece, and of the most that is hashed at a time. */
  public static final int LARGEST = 1 << 20;

  private static final int STRONG_LENGTH = 16;
  private static final int WEAK_LENGTH = 4;

  private final MessageDigest sha256;
  private final byte[] whole;

  public PieceHasher() {
    try {
      sha256 = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
    whole = new byte[sha256.getDigestLength()];
  }

  /** Bytes of a hash. */
  public static int length(boolean strong) {
    return strong ? STRONG_LENGTH : WEAK_LENGTH;
  }

  /** Whether this is a size of pieces. */
  public static boolean isPiece(int bytes) {
    return bytes >= SMALLEST && bytes <= LARGEST && Integer.bitCount(bytes) == 1;
  }

  /**
   * The hashes of the pieces of a range, one after the other.
   *
   * @param index start of the range in the buffer, whose reader and writer index do not move
   */
  public byte[] hashes(ByteBuf buffer, int index, int length, int piece, boolean strong) {
    int hashLength = length(strong);
    byte[] hashes = new byte[(length + piece - 1) / piece * hashLength];
    for (int at = 0, next = 0; at < length; at += piece, next += hashLength) {
      int bytes = Math.min(piece, length - at);
      byte[] hash = strong ? strong(buffer, index + at, bytes) : weak(buffer, index + at, bytes);
      System.arraycopy(hash, 0, hashes, next, hashLength);
    }
    return hashes;
  }

  private static byte[] weak(ByteBuf buffer, int index, int length) {
    return BlockHasher.ofCrc(Crc32c.of(buffer, index, length));
  }

  private byte[] strong(ByteBuf buffer, int index, int length) {
    sha256.update(buffer.nioBuffer(index, length));
    try {
      sha256.digest(whole, 0, whole.length);
    } catch (DigestException e) {
      throw new IllegalStateException("the digest has " + whole.length + " bytes", e);
    }
    return whole;
  }
}
