package io.fdt.core.model;

import java.util.Locale;
import java.util.Optional;

/** The digest that compares files end to end. The construction of each is in docs/PROTOCOL.md. */
public enum Checksum {
  /** CRC32C of the whole: detects every likely accident of a network, a memory or a disk. */
  CRC32C,
  /** XXH3, 128 bits: against accidents only, not against deliberate changes. */
  XXH3,
  /** BLAKE3, 256 bits: cryptographic. */
  BLAKE3,
  /** SHA-256: cryptographic. */
  SHA256,
  /** MD5, for existing lists of digests: against accidents only. */
  MD5,
  /** SHA-1, for existing lists of digests: against accidents only. */
  SHA1,
  /**
   * No digest: the receiver still checks that every byte arrived, and each frame has its own
   * checksum.
   */
  NONE;

  /** The name on a command line. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The checksum with a name on a command line. */
  public static Optional<Checksum> ofText(String text) {
    for (Checksum checksum : values()) {
      if (checksum.text().equals(text)) {
        return Optional.of(checksum);
      }
    }
    return Optional.empty();
  }
}
