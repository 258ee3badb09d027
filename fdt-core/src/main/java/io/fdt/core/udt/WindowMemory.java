package io.fdt.core.udt;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory that the windows of many connections share. Each connection may use an equal part of
 * it in each direction, and all together never more than there is: a connection whose part became
 * smaller keeps what it has until its packets are gone.
 *
 * <p>What a connection cannot do without, two slabs in each direction, does not count. Thread-safe.
 */
public final class WindowMemory {
  private final long most;
  private final AtomicLong taken = new AtomicLong();
  private final AtomicInteger connections = new AtomicInteger();

  /**
   * @param most bytes, above 0
   */
  public WindowMemory(long most) {
    if (most <= 0) {
      throw new IllegalArgumentException("most=" + most + ", not above 0");
    }
    this.most = most;
  }

  /** Without a bound, for tests and for single connections. */
  public static WindowMemory unbounded() {
    return new WindowMemory(Long.MAX_VALUE);
  }

  void join() {
    connections.incrementAndGet();
  }

  void leave() {
    connections.decrementAndGet();
  }

  /** Bytes that one connection may use in one direction. */
  long share() {
    return most / 2 / Math.max(1, connections.get());
  }

  /** Takes this many bytes. Returns false when they are not there. */
  boolean take(long bytes) {
    if (taken.addAndGet(bytes) > most) {
      taken.addAndGet(-bytes);
      return false;
    }
    return true;
  }

  void give(long bytes) {
    taken.addAndGet(-bytes);
  }

  /** Bytes in use. */
  public long taken() {
    return taken.get();
  }
}
