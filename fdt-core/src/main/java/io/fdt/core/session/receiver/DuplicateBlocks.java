package io.fdt.core.session.receiver;

import java.util.ArrayList;
import java.util.List;

/**
 * Blocks of one file that arrived again before their first copy was written. Nearly always empty.
 *
 * <p>Not thread-safe: confined to its {@link IncomingFile}.
 */
final class DuplicateBlocks {
  /**
   * The most duplicates. A correct sender repeats the blocks in flight on a stream, once for each
   * lost stream.
   */
  private static final int MOST = 1 << 12;

  /** A frame with a block that arrived before. */
  record Copy(long offset, int stream, long number) {}

  private List<Copy> copies = List.of();

  /**
   * Adds a duplicate.
   *
   * @return false when there are too many
   */
  boolean add(Copy copy) {
    if (copies.isEmpty()) {
      copies = new ArrayList<>();
    }
    copies.add(copy);
    return copies.size() <= MOST;
  }

  /** Removes and returns the duplicates of the block at this offset. */
  List<Copy> take(long offset) {
    if (copies.isEmpty()) {
      return List.of();
    }
    List<Copy> taken = copies.stream().filter(copy -> copy.offset() == offset).toList();
    copies.removeAll(taken);
    return taken;
  }
}
