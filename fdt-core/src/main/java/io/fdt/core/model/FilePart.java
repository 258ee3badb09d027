package io.fdt.core.model;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A part of one file, whose size may be unknown yet. Immutable.
 *
 * <p>A part of a cut is written at its offset in the partial file that all ranges of the cut share;
 * any other part becomes a file of its own.
 *
 * @param offset its first byte, 0 or more
 * @param length bytes, 0 or more; empty for the rest of the file
 * @param cut the cut that it is a range of; empty for a file of its own
 */
public record FilePart(long offset, OptionalLong length, Optional<FileCut> cut) {
  /** The whole file. */
  public static final FilePart WHOLE = new FilePart(0, OptionalLong.empty());

  /** A part that becomes a file of its own. */
  public FilePart(long offset, OptionalLong length) {
    this(offset, length, Optional.empty());
  }

  public FilePart {
    if (offset < 0 || length.orElse(0) < 0 || offset > Long.MAX_VALUE - length.orElse(0)) {
      throw new IllegalArgumentException("part of a file: offset=" + offset + " length=" + length);
    }
    if (cut.isPresent() && !isRangeOf(cut.get(), offset, length)) {
      throw new IllegalArgumentException(
          "not a range of the cut: offset=" + offset + " length=" + length + " of " + cut.get());
    }
  }

  private static boolean isRangeOf(FileCut cut, long offset, OptionalLong length) {
    long index = offset / cut.rangeBytes();
    return index < cut.count()
        && cut.range((int) index).equals(new Range(offset, offset + length.orElse(0)));
  }

  /**
   * The length of the part within a file of this size.
   *
   * @param path of the file, for messages
   * @throws FdtException USAGE when the part reaches beyond the file; SOURCE_CHANGED when a file
   *     that was cut has another size now
   */
  public long lengthIn(long size, String path) throws FdtException {
    if (cut.isPresent() && cut.get().fileSize() != size) {
      throw new FdtException(
          ErrorCode.SOURCE_CHANGED,
          "'%s' had %d bytes when it was cut into ranges, and has %d now; run fdt plan again to copy it in ranges"
              .formatted(path, cut.get().fileSize(), size));
    }
    if (offset > size || length.orElse(0) > size - offset) {
      String end = length.isPresent() ? " to " + (offset + length.getAsLong()) : "";
      throw new FdtException(
          ErrorCode.USAGE,
          "'%s' has %d bytes, and the part from %d%s is not within it; choose another part"
              .formatted(path, size, offset, end));
    }
    return length.orElse(size - offset);
  }

  /** Whether the part is the whole file, whatever its size. */
  public boolean isWhole() {
    return offset == 0 && length.isEmpty() && cut.isEmpty();
  }

  /**
   * Derives the identity of this part from that of its file: another one for each offset; 0 when
   * the file has none. Parts of one file that differ in length alone differ in size anyway. All
   * ranges of a cut have the same identity.
   */
  public long identity(long ofFile) {
    if (ofFile == 0 || offset == 0 || cut.isPresent()) {
      return ofFile;
    }
    long mixed = (ofFile ^ Long.rotateLeft(offset, 32)) * 0x9E3779B97F4A7C15L + offset;
    return mixed == 0 ? 1 : mixed;
  }
}
