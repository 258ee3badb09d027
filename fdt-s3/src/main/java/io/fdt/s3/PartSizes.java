package io.fdt.s3;

import io.fdt.core.storage.FileShape;

/** The length of the parts of an object, which follows from its size. Pure functions. */
final class PartSizes {
  /** Most bytes of an object that one request brings. */
  static final long SINGLE = 8 << 20;

  /** A stream may grow to 10,000 parts: 625 GiB. Memory: this, for each stream. */
  private static final long OF_STREAM = 64 << 20;

  /** S3's limit. */
  private static final int MOST_PARTS = 10_000;

  private static final long STEP = 1 << 20;

  private PartSizes() {}

  /** The length of each part but the last: 8 MiB, or more from 78 GiB on. */
  static long of(long size) {
    if (size == FileShape.UNKNOWN_SIZE) {
      return OF_STREAM;
    }
    long least = (size + MOST_PARTS - 1) / MOST_PARTS;
    return Math.max(SINGLE, (least + STEP - 1) / STEP * STEP);
  }
}
