package io.fdt.core.model;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.util.OptionalLong;

/**
 * A part of one file whose size is not known yet. Immutable.
 *
 * @param offset its first byte, 0 or more
 * @param length bytes of it, 0 or more; empty for all the rest
 */
public record FilePart(long offset, OptionalLong length) {
  /** All of it. */
  public static final FilePart WHOLE = new FilePart(0, OptionalLong.empty());

  public FilePart {
    if (offset < 0 || length.orElse(0) < 0 || offset > Long.MAX_VALUE - length.orElse(0)) {
      throw new IllegalArgumentException("no part of a file: " + offset + " and " + length);
    }
  }

  /**
   * Bytes of it in a file of this size.
   *
   * @param path of the file, for people
   * @throws FdtException USAGE when the file ends before it does
   */
  public long lengthIn(long size, String path) throws FdtException {
    if (offset > size || length.orElse(0) > size - offset) {
      String end = length.isPresent() ? " to " + (offset + length.getAsLong()) : "";
      throw new FdtException(
          ErrorCode.USAGE,
          "'%s' has %d bytes, and the part from %d%s is not within it"
              .formatted(path, size, offset, end));
    }
    return length.orElse(size - offset);
  }

  /** Whether it is all of the file, whatever its size. */
  public boolean isWhole() {
    return offset == 0 && length.isEmpty();
  }

  /**
   * What stands for this part, when a number stands for the file: another one for each offset; 0
   * when the file has none. Parts of one file that differ in length alone differ in size anyway.
   */
  public long identity(long ofFile) {
    if (ofFile == 0 || offset == 0) {
      return ofFile;
    }
    long mixed = (ofFile ^ Long.rotateLeft(offset, 32)) * 0x9E3779B97F4A7C15L + offset;
    return mixed == 0 ? 1 : mixed;
  }
}
