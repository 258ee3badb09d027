package io.fdt.core.buffer;

/**
 * How much memory the blocks of one session may take, and how much they take now.
 *
 * <p>Thread-safe. Whoever takes from it gives back the same amount when the memory is free again.
 */
public final class BufferBudget {
  private final long limit;
  private long taken;
  private boolean closed;

  /**
   * @param limit bytes, 1 or more
   */
  public BufferBudget(long limit) {
    this.limit = limit;
  }

  /**
   * Takes {@code bytes}, at once or as soon as others have given back enough. One taker is let
   * through when nothing is taken, however much it wants.
   *
   * @return false when the budget was closed: nothing is taken
   */
  public synchronized boolean take(long bytes) throws InterruptedException {
    while (!closed && taken > 0 && taken + bytes > limit) {
      wait();
    }
    if (closed) {
      return false;
    }
    taken += bytes;
    return true;
  }

  public synchronized void giveBack(long bytes) {
    if (bytes > taken) {
      throw new IllegalStateException(bytes + " bytes given back of " + taken);
    }
    taken -= bytes;
    notifyAll();
  }

  public synchronized long taken() {
    return taken;
  }

  public long limit() {
    return limit;
  }

  /** Wakes all who wait in {@link #take}. Idempotent. */
  public synchronized void close() {
    closed = true;
    notifyAll();
  }
}
