package io.fdt.core.storage;

import io.fdt.core.manifest.FileName;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The names under which files grow before they get their final ones: {@code .fdt-}, 16 hexadecimal
 * digits, {@code .part}.
 *
 * <p>26 bytes, whatever the length of the final name. The digits are a hash of it, so that the next
 * transfer of the same file finds what an interrupted one left. Pure functions.
 */
final class TemporaryName {
  private static final byte[] PREFIX = ".fdt-".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] SUFFIX = ".part".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] JOURNAL = ".journal".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] DIGITS = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final int DIGIT_COUNT = 16;

  private TemporaryName() {}

  /** The temporary name that belongs to a final name. */
  static FileName of(FileName finalName) {
    return ofNumber(hash(finalName.bytes()));
  }

  /** The name of the journal that belongs to a final name. */
  static FileName journalOf(FileName finalName) {
    return ofNumber(hash(finalName.bytes()), JOURNAL);
  }

  /** The temporary name with these digits. */
  static FileName ofNumber(long number) {
    return ofNumber(number, SUFFIX);
  }

  private static FileName ofNumber(long number, byte[] suffix) {
    byte[] name = Arrays.copyOf(PREFIX, PREFIX.length + DIGIT_COUNT + suffix.length);
    for (int i = 0; i < DIGIT_COUNT; i++) {
      name[PREFIX.length + i] = DIGITS[(int) (number >>> (60 - 4 * i)) & 0xF];
    }
    System.arraycopy(suffix, 0, name, PREFIX.length + DIGIT_COUNT, suffix.length);
    return FileName.of(name);
  }

  /** Whether a name has the form of a temporary one, or of a journal. */
  static boolean isTemporary(byte[] name) {
    return hasForm(name, SUFFIX) || hasForm(name, JOURNAL);
  }

  private static boolean hasForm(byte[] name, byte[] suffix) {
    int digitsEnd = PREFIX.length + DIGIT_COUNT;
    if (name.length != digitsEnd + suffix.length
        || !Arrays.equals(name, 0, PREFIX.length, PREFIX, 0, PREFIX.length)
        || !Arrays.equals(name, digitsEnd, name.length, suffix, 0, suffix.length)) {
      return false;
    }
    for (int i = PREFIX.length; i < digitsEnd; i++) {
      if (Arrays.binarySearch(DIGITS, name[i]) < 0) {
        return false;
      }
    }
    return true;
  }

  /** FNV-1a over the bytes, then mixed so that every bit of it depends on every byte. */
  private static long hash(byte[] bytes) {
    long hash = 0xcbf29ce484222325L;
    for (byte b : bytes) {
      hash = (hash ^ (b & 0xFF)) * 0x100000001b3L;
    }
    hash = (hash ^ (hash >>> 32)) * 0xd6e8feb86659fd93L;
    return hash ^ (hash >>> 32);
  }
}
