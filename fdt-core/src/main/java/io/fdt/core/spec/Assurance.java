package io.fdt.core.spec;

import io.fdt.core.model.Checksum;

/**
 * What is done so that a file that is done is right.
 *
 * @param checksum what its bytes are compared by
 * @param verify whether it is read back from its device and compared before it gets its final name
 * @param fsync whether it, its name and its directories are on their device when it is done
 */
public record Assurance(Checksum checksum, boolean verify, boolean fsync) {
  /** CRC32C of what was read and of what was written. */
  public static final Assurance DEFAULT = new Assurance(Checksum.CRC32C, false, false);

  /** What is read back must be compared with something. */
  public Assurance {
    if (verify && checksum == Checksum.NONE) {
      throw new IllegalArgumentException("without a checksum there is nothing to verify by");
    }
  }
}
