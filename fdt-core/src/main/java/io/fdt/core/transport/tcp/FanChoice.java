package io.fdt.core.transport.tcp;

import java.util.function.IntPredicate;
import java.util.function.IntToLongFunction;

/**
 * Chooses the connection of a fan that gets the next cell: of those that take one, that with the
 * least unsent bytes, and of equals that which has not had one for longest. A slow connection has
 * unsent bytes for longer, and so gets fewer cells. Not thread-safe.
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
   * @param unsent bytes that a connection holds
   */
  int next(IntPredicate takes, IntToLongFunction unsent) {
    int best = -1;
    long least = Long.MAX_VALUE;
    for (int i = 1; i <= connections; i++) {
      int at = (last + i) % connections;
      if (takes.test(at) && unsent.applyAsLong(at) < least) {
        best = at;
        least = unsent.applyAsLong(at);
      }
    }
    if (best >= 0) {
      last = best;
    }
    return best;
  }
}
