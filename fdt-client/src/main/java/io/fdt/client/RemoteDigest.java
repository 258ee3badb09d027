package io.fdt.client;

import io.fdt.core.digest.DigestMethod;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Checksum;

/**
 * The digest of a file, as it was read where it is.
 *
 * @param path of the file; beneath the path that was asked for, or that path itself
 * @param size bytes of it
 * @param construction how the digest is made: crc32c, blake3, xxh128, sha256, or a hash with the
 *     size of its chunks, as in sha256-1MiB
 * @param digest in lower-case hexadecimal digits
 */
public record RemoteDigest(BytePath path, long size, String construction, String digest) {
  /** What the plain digest is called: as the tool that prints it, without "sum". */
  public static String plainName(Checksum checksum) {
    return checksum == Checksum.XXH3 ? "xxh128" : checksum.text();
  }

  static String construction(Checksum checksum, boolean plain) {
    return plain
        ? plainName(checksum)
        : DigestMethod.of(checksum, DigestMethod.MAX_CHUNK).construction();
  }
}
