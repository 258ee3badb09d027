package io.fdt.core.session.sender;

import io.fdt.core.model.Range;
import io.fdt.core.model.RangeSet;
import java.util.HashMap;
import java.util.Map;

/**
 * Limits how far blocks, of all files together, are read ahead of the first unwritten byte of each
 * file: for a receiver that writes in order and buffers early blocks.
 *
 * <pre>
 *   |--- written ---|- - missing, or ahead - -|
 *                   ^ prefix                  ^ prefix + length: not read yet from here on
 * </pre>
 *
 * <p>Not thread-safe: confined to the thread of its session.
 */
final class InOrderWindow {
  private static final class Progress {
    final RangeSet written = new RangeSet();
    long plannedEnd;

    long ahead() {
      return Math.max(0, plannedEnd - written.prefix());
    }
  }

  private final Map<OutgoingFile<?>, Progress> files = new HashMap<>();
  private long length;

  /**
   * @param length bytes ahead; {@code Long.MAX_VALUE} for no limit
   */
  InOrderWindow(long length) {
    this.length = length;
  }

  /** Reduces the length to this many bytes, before any block is planned. */
  void limit(long bytes) {
    length = Math.min(length, bytes);
  }

  private boolean isLimited() {
    return length < Long.MAX_VALUE;
  }

  private Progress progress(OutgoingFile<?> file) {
    return files.computeIfAbsent(file, any -> new Progress());
  }

  /** Records a block that is written, or a hole. */
  void written(OutgoingFile<?> file, long offset, long bytes) {
    if (isLimited() && bytes > 0 && !file.isSettled()) {
      progress(file).written.add(offset, offset + bytes);
    }
  }

  /** Records a planned block. The receiver keeps what lies before it and was never planned. */
  void planned(OutgoingFile<?> file, Range block) {
    if (isLimited()) {
      Progress own = progress(file);
      written(file, own.plannedEnd, block.start() - own.plannedEnd);
      own.plannedEnd = Math.max(own.plannedEnd, block.end());
    }
  }

  /** Whether the next block of a file may be read; a single block always may. */
  boolean allows(long bytes) {
    if (!isLimited()) {
      return true;
    }
    files.keySet().removeIf(OutgoingFile::isSettled);
    long ahead = files.values().stream().mapToLong(Progress::ahead).sum();
    return ahead == 0 || ahead + bytes <= length;
  }
}
