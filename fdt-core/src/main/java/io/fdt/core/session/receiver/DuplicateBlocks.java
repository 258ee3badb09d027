package io.fdt.core.session.receiver;

import java.util.ArrayList;
import java.util.List;

/**
 * Blocks of one file that have come again before their first copy was written. Nearly always empty.
 *
 * <p>Not thread-safe: confined to its {@link IncomingFile}.
 */
final class DuplicateBlocks {
  /** An honest sender repeats what was under way on a stream, once for each stream that dies. */
  private static final int MOST = 1 << 12;

  /** A frame with a block that has come before. */
  record Copy(long offset, int stream, long number) {}

  private List<Copy> copies = List.of();

  /**
   * Takes note of one.
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

  /** The copies that have come of the block at this offset; they are forgotten here. */
  List<Copy> take(long offset) {
    if (copies.isEmpty()) {
      return List.of();
    }
    List<Copy> taken = copies.stream().filter(copy -> copy.offset() == offset).toList();
    copies.removeAll(taken);
    return taken;
  }
}
