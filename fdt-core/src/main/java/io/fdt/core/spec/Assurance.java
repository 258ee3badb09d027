package io.fdt.core.spec;

import io.fdt.core.model.Checksum;

/**
 * How the contents of files are verified and made durable.
 *
 * @param checksum the digest that both ends compare
 * @param verify whether each file is read back from its device and compared before it gets its
 *     final name
 * @param fsync whether a file is done only when its data, its name and its directories are on their
 *     device
 */
public record Assurance(Checksum checksum, boolean verify, boolean fsync) {
  /** CRC32C of the bytes read and written. */
  public static final Assurance DEFAULT = new Assurance(Checksum.CRC32C, false, false);

  public Assurance {
    if (verify && checksum == Checksum.NONE) {
      throw new IllegalArgumentException("verification needs a checksum");
    }
  }
}
