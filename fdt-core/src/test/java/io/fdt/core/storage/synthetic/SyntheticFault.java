package io.fdt.core.storage.synthetic;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileName;
import java.util.List;

/**
 * A failure of one file that is wanted in a test.
 *
 * @param file which file fails
 * @param point which of its operations fails
 * @param offset for READ, WRITE and ROT, the operation that touches this byte; else without meaning
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
    /** What was written is forced to its device. */
    FORCE,
    /** The device gives back another byte than was written; no operation fails. */
    ROT,
    PUBLISH
  }

  /**
   * Fails if one of the faults is meant to hit this operation, which touches {@code length} bytes
   * from {@code offset} on.
   */
  static void hit(List<SyntheticFault> faults, FileName file, Point point, long offset, long length)
      throws FdtException {
    for (SyntheticFault fault : faults) {
      if (fault.strikes(file, point, offset, length)) {
        throw new FdtException(
            fault.code, "cannot " + point + " '" + file + "': a fault was asked for");
      }
    }
  }

  /** Whether one of the faults is meant to hit this operation. */
  static boolean strikes(
      List<SyntheticFault> faults, FileName file, Point point, long offset, long length) {
    return faults.stream().anyMatch(fault -> fault.strikes(file, point, offset, length));
  }

  private boolean strikes(FileName name, Point operation, long from, long length) {
    boolean touches = offset >= from && offset < from + length;
    boolean atOffset = point == Point.READ || point == Point.WRITE || point == Point.ROT;
    return point == operation && file.equals(name) && (touches || !atOffset);
  }
}
