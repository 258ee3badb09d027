package io.fdt.client;

import io.fdt.core.digest.DigestMethod;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Checksum;

/**
 * The digest of a file, read where it is stored.
 *
 * @param path of the file: the requested path, or one beneath it
 * @param size bytes
 * @param construction of the digest: crc32c, blake3, xxh128, sha256, or a hash with the size of its
 *     chunks, as in sha256-1MiB
 * @param digest in lower-case hexadecimal digits
 */
public record RemoteDigest(BytePath path, long size, String construction, String digest) {
  /** The name of the plain digest: that of the tool that prints it, without "sum". */
  public static String plainName(Checksum checksum) {
    return checksum == Checksum.XXH3 ? "xxh128" : checksum.text();
  }

  public static String construction(Checksum checksum, boolean plain) {
    return plain
        ? plainName(checksum)
        : DigestMethod.of(checksum, DigestMethod.MAX_CHUNK).construction();
  }
}
