package io.fdt.core.buffer;

/**
 * Limits the memory that the blocks of one session use.
 *
 * <p>Thread-safe. Each taker gives back the amount it took when the memory is free again.
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
   * Takes {@code bytes}, waiting until enough is free. On an unused budget, any amount succeeds.
   *
   * @return false when the budget is closed: nothing is taken
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

  /** Wakes all threads in {@link #take}. Idempotent. */
  public synchronized void close() {
    closed = true;
    notifyAll();
  }
}
