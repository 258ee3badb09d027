package io.fdt.udt.transport;

import io.fdt.udt.protocol.WindowMemory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A process-wide budget of memory for windows. Each connection may use an equal share of it in each
 * direction, and all together never exceed it: a connection whose share shrinks keeps its memory
 * until its packets are gone. Thread-safe.
 */
public final class SharedWindows implements WindowMemory {
  private final long most;
  private final AtomicLong taken = new AtomicLong();
  private final AtomicInteger connections = new AtomicInteger();

  /**
   * @param most bytes, above 0
   */
  public SharedWindows(long most) {
    if (most <= 0) {
      throw new IllegalArgumentException("most=" + most + ", must be above 0");
    }
    this.most = most;
  }

  @Override
  public void join() {
    connections.incrementAndGet();
  }

  @Override
  public void leave() {
    connections.decrementAndGet();
  }

  @Override
  public long share() {
    return most / 2 / Math.max(1, connections.get());
  }

  @Override
  public boolean take(long bytes) {
    if (taken.addAndGet(bytes) > most) {
      taken.addAndGet(-bytes);
      return false;
    }
    return true;
  }

  @Override
  public void give(long bytes) {
    taken.addAndGet(-bytes);
  }

  /** Bytes in use. */
  public long taken() {
    return taken.get();
  }
}
