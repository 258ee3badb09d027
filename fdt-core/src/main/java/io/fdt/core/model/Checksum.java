package io.fdt.core.model;

import java.util.Locale;
import java.util.Optional;

/**
 * What the bytes of a file are compared by, end to end. The construction of each is in
 * docs/PROTOCOL.md.
 */
public enum Checksum {
  /** CRC32C of the whole: finds every accident of a network, a memory or a disk that is likely. */
  CRC32C,
  /** XXH3, 128 bits: no accident gets past it; not made against somebody who wants to deceive. */
  XXH3,
  /** BLAKE3, 256 bits: cryptographic. */
  BLAKE3,
  /** SHA-256: cryptographic. */
  SHA256,
  /** MD5, for lists that others have made: against accidents only. */
  MD5,
  /** SHA-1, for lists that others have made: against accidents only. */
  SHA1,
  /** Nothing: that every byte has come is known, and each frame still has its own checksum. */
  NONE;

  /** Its name on a command line. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The one of this name on a command line. */
  public static Optional<Checksum> ofText(String text) {
    for (Checksum checksum : values()) {
      if (checksum.text().equals(text)) {
        return Optional.of(checksum);
      }
    }
    return Optional.empty();
  }
}
