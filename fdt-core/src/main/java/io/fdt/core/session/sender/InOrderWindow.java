package io.fdt.core.session.sender;

import io.fdt.core.model.RangeSet;
import java.util.HashMap;
import java.util.Map;

/**
 * How far the blocks of all files together may be ahead of the first of each file that is not known
 * to be written: for a receiver that writes them in order, and holds those that come early.
 *
 * <pre>
 *   |--- written ---|- - missing, or ahead - -|
 *                   ^ prefix                  ^ prefix + length: nothing from here on is read yet
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
   * @param length bytes; {@code Long.MAX_VALUE} for no limit
   */
  InOrderWindow(long length) {
    this.length = length;
  }

  /** Sets the length, before any block is planned; the smaller one counts. */
  void limit(long bytes) {
    length = Math.min(length, bytes);
  }

  private boolean isLimited() {
    return length < Long.MAX_VALUE;
  }

  private Progress progress(OutgoingFile<?> file) {
    return files.computeIfAbsent(file, any -> new Progress());
  }

  /** A block is known to be written, or is a hole. */
  void written(OutgoingFile<?> file, long offset, long bytes) {
    if (isLimited() && bytes > 0 && !file.isSettled()) {
      progress(file).written.add(offset, offset + bytes);
    }
  }

  /** A block is about to be read, which ends before {@code end}. */
  void planned(OutgoingFile<?> file, long end) {
    if (isLimited()) {
      progress(file).plannedEnd = end;
    }
  }

  /**
   * Whether the next block may be read, which ends before {@code end}: always one, whatever its
   * size.
   */
  boolean allows(OutgoingFile<?> file, long end) {
    if (!isLimited()) {
      return true;
    }
    files.keySet().removeIf(OutgoingFile::isSettled);
    long ahead = files.values().stream().mapToLong(Progress::ahead).sum();
    Progress own = progress(file);
    return ahead == 0 || ahead - own.ahead() + end - own.written.prefix() <= length;
  }
}
