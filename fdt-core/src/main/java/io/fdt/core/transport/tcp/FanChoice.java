package io.fdt.core.transport.tcp;

import java.util.function.IntPredicate;

/**
 * Chooses the connection of a fan that gets the next cell: of those that take one, that which has
 * not had one for longest. A slow connection takes one less often, and so gets fewer cells. Not
 * thread-safe.
 */
final class FanChoice {
  private final int connections;
  private int last;

  FanChoice(int connections) {
    this.connections = connections;
    this.last = connections - 1;
  }

  /**
   * Returns the number of the connection; -1 if none takes a cell now.
   *
   * @param takes whether a connection takes a cell
   */
  int next(IntPredicate takes) {
    for (int i = 1; i <= connections; i++) {
      int at = (last + i) % connections;
      if (takes.test(at)) {
        last = at;
        return at;
      }
    }
    return -1;
  }
}
