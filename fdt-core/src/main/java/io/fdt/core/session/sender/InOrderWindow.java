package io.fdt.core.session.sender;

import io.fdt.core.model.RangeSet;

/**
 * How far the blocks of one file may be ahead of the first that is not known to be written: for a
 * receiver that wants them in order, and holds what comes too early.
 *
 * <pre>
 *   |--- written ---|- - missing, or ahead - -|
 *                   ^ prefix                  ^ prefix + length: nothing from here on is read yet
 * </pre>
 *
 * <p>Not thread-safe: confined to the thread of its session.
 */
final class InOrderWindow {
  private final long length;
  private final RangeSet written = new RangeSet();

  /**
   * @param length bytes; at least one block
   */
  InOrderWindow(long length) {
    this.length = length;
  }

  /** A block is known to be written. */
  void written(long offset, int bytes) {
    if (bytes > 0) {
      written.add(offset, offset + bytes);
    }
  }

  /** Whether the next block may be read, which ends before {@code end}. */
  boolean allows(long end) {
    return end - written.prefix() <= length;
  }
}
