package io.fdt.core.wire;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Checksum;

/** Encodes a checksum's name. Pure. */
public final class ChecksumCoding {
  private ChecksumCoding() {}

  public static io.fdt.core.wire.control.Checksum encode(Checksum checksum) {
    return switch (checksum) {
      case CRC32C -> io.fdt.core.wire.control.Checksum.CHECKSUM_CRC32C;
      case XXH3 -> io.fdt.core.wire.control.Checksum.CHECKSUM_XXH3;
      case BLAKE3 -> io.fdt.core.wire.control.Checksum.CHECKSUM_BLAKE3;
      case SHA256 -> io.fdt.core.wire.control.Checksum.CHECKSUM_SHA256;
      case MD5 -> io.fdt.core.wire.control.Checksum.CHECKSUM_MD5;
      case SHA1 -> io.fdt.core.wire.control.Checksum.CHECKSUM_SHA1;
      case NONE -> io.fdt.core.wire.control.Checksum.CHECKSUM_NONE;
    };
  }

  /**
   * Decodes a checksum.
   *
   * @throws FdtException PROTOCOL for an unknown checksum
   */
  public static Checksum decode(io.fdt.core.wire.control.Checksum checksum) throws FdtException {
    return switch (checksum) {
      case CHECKSUM_CRC32C -> Checksum.CRC32C;
      case CHECKSUM_XXH3 -> Checksum.XXH3;
      case CHECKSUM_BLAKE3 -> Checksum.BLAKE3;
      case CHECKSUM_SHA256 -> Checksum.SHA256;
      case CHECKSUM_MD5 -> Checksum.MD5;
      case CHECKSUM_SHA1 -> Checksum.SHA1;
      case CHECKSUM_NONE -> Checksum.NONE;
      case UNRECOGNIZED ->
          throw new FdtException(
              ErrorCode.PROTOCOL, "bad request: this version does not know the requested checksum");
    };
  }
}
