package io.fdt.core.storage;

import io.fdt.core.manifest.FileName;
import java.nio.charset.StandardCharsets;

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
  private static final byte[] DIGITS = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final int LENGTH = PREFIX.length + 16 + SUFFIX.length;

  private TemporaryName() {}

  /** The temporary name that belongs to a final name. */
  static FileName of(FileName finalName) {
    return ofNumber(hash(finalName.bytes()));
  }

  /** The temporary name with these digits. */
  static FileName ofNumber(long number) {
    byte[] name = new byte[LENGTH];
    System.arraycopy(PREFIX, 0, name, 0, PREFIX.length);
    for (int i = 0; i < 16; i++) {
      name[PREFIX.length + i] = DIGITS[(int) (number >>> (60 - 4 * i)) & 0xF];
    }
    System.arraycopy(SUFFIX, 0, name, LENGTH - SUFFIX.length, SUFFIX.length);
    return FileName.of(name);
  }

  /** Whether a name has the form of a temporary one. */
  static boolean isTemporary(byte[] name) {
    if (name.length != LENGTH) {
      return false;
    }
    for (int i = 0; i < LENGTH; i++) {
      boolean fits;
      if (i < PREFIX.length) {
        fits = name[i] == PREFIX[i];
      } else if (i < LENGTH - SUFFIX.length) {
        fits = (name[i] >= '0' && name[i] <= '9') || (name[i] >= 'a' && name[i] <= 'f');
      } else {
        fits = name[i] == SUFFIX[i - LENGTH + SUFFIX.length];
      }
      if (!fits) {
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
