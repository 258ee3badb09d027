package io.fdt.http;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Locale;
import java.util.zip.Adler32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/** A hash of bytes in order, by its name in HTTP. Not thread-safe. */
public interface WebHash {
  void update(ByteBuffer bytes);

  /** Called once. */
  byte[] value();

  /** Bytes of a value; 0 for an unknown algorithm. */
  static int lengthOf(String algorithm) {
    return switch (algorithm) {
      case "sha-512" -> 64;
      case "sha-256" -> 32;
      case "md5" -> 16;
      case "crc32c", "adler32" -> 4;
      default -> 0;
    };
  }

  /** A hash without bytes yet, of an algorithm with a length. */
  static WebHash of(String algorithm) {
    return switch (algorithm) {
      case "crc32c" -> ofChecksum(new CRC32C());
      case "adler32" -> ofChecksum(new Adler32());
      default -> ofDigest(algorithm);
    };
  }

  private static WebHash ofDigest(String algorithm) {
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance(algorithm.toUpperCase(Locale.ROOT));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("each JDK has " + algorithm, e);
    }
    return new WebHash() {
      @Override
      public void update(ByteBuffer bytes) {
        digest.update(bytes);
      }

      @Override
      public byte[] value() {
        return digest.digest();
      }
    };
  }

  private static WebHash ofChecksum(Checksum sum) {
    return new WebHash() {
      @Override
      public void update(ByteBuffer bytes) {
        sum.update(bytes);
      }

      @Override
      public byte[] value() {
        return ByteBuffer.allocate(4).putInt((int) sum.getValue()).array();
      }
    };
  }
}
