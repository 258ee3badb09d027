package io.fdt.core.storage;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.manifest.FileName;
import java.util.List;

/**
 * A failure of one file that is wanted in a test.
 *
 * @param file which file fails
 * @param point which of its operations fails
 * @param offset for READ and WRITE, the operation that touches this byte; else without meaning
 * @param code how it fails
 */
public record SyntheticFault(FileName file, Point point, long offset, ErrorCode code) {
  /** An operation that can fail. */
  public enum Point {
    OPEN,
    READ,
    CHECK_UNCHANGED,
    CREATE,
    WRITE,
    PUBLISH
  }

  /**
   * Fails if one of the faults is meant to hit this operation, which touches {@code length} bytes
   * from {@code offset} on.
   */
  static void hit(List<SyntheticFault> faults, FileName file, Point point, long offset, long length)
      throws FdtException {
    for (SyntheticFault fault : faults) {
      boolean touches = fault.offset >= offset && fault.offset < offset + length;
      boolean atOffset = point == Point.READ || point == Point.WRITE;
      if (fault.point == point && fault.file.equals(file) && (touches || !atOffset)) {
        throw new FdtException(
            fault.code, "cannot " + point + " '" + file + "': a fault was asked for");
      }
    }
  }
}
