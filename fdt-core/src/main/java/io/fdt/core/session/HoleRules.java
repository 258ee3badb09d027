package io.fdt.core.session;

import io.fdt.core.digest.DigestMethod;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Range;
import io.fdt.core.model.RangeSet;
import io.fdt.core.wire.control.FileHoles;
import java.util.ArrayList;
import java.util.List;

/** The holes that a sender announces, and the checks of a receiver. Pure. */
public final class HoleRules {
  /** The most announced holes of one file: a message of about 150 KB. */
  public static final int MAX_HOLES = 8192;

  private HoleRules() {}

  /**
   * The announced ranges: the part of each hole that the receiver lacks, cut to block boundaries.
   *
   * @param holes in order, not adjacent
   * @param kept the ranges that the receiver has
   */
  public static List<Range> told(List<Range> holes, RangeSet kept, long size, DigestMethod method) {
    List<Range> gaps = kept.missing(size);
    List<Range> told = new ArrayList<>();
    int first = 0;
    for (Range hole : holes) {
      while (first < gaps.size() && gaps.get(first).end() <= hole.start()) {
        first++;
      }
      for (int i = first; i < gaps.size() && gaps.get(i).start() < hole.end(); i++) {
        long start = method.cutAtOrAfter(Math.max(hole.start(), gaps.get(i).start()), size);
        long end = method.cutAtOrBefore(Math.min(hole.end(), gaps.get(i).end()), size);
        if (start < end && told.size() < MAX_HOLES) {
          told.add(new Range(start, end));
        }
      }
    }
    return told;
  }

  /** The message for these holes. */
  public static FileHoles message(long id, List<Range> told) {
    return FileHoles.newBuilder().setId(id).addAllHoles(RangePairs.of(told)).build();
  }

  /**
   * The holes of a message.
   *
   * @throws FdtException PROTOCOL when they overlap, or are invalid for a file of this size
   */
  public static List<Range> checked(FileHoles message, long size, DigestMethod method)
      throws FdtException {
    if (message.getHolesCount() == 0
        || message.getHolesCount() % 2 != 0
        || message.getHolesCount() > 2 * MAX_HOLES) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          message.getHolesCount() + " values for the holes of file " + message.getId());
    }
    List<Range> holes = RangePairs.read(message.getHolesList(), message.getId(), size);
    for (Range hole : holes) {
      if (!method.isCutAt(hole.start(), size) || !method.isCutAt(hole.end(), size)) {
        throw new FdtException(
            ErrorCode.PROTOCOL,
            "hole %d to %d of file %d, which has %d bytes"
                .formatted(hole.start(), hole.end(), message.getId(), size));
      }
    }
    return holes;
  }
}
