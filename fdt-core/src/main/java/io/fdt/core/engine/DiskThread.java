package io.fdt.core.engine;

import java.util.concurrent.atomic.LongAdder;

/** A thread of a disk, and whether it works for it or waits for something else. */
public final class DiskThread extends Thread {
  private final LongAdder busyNanos;

  /** When its work began; 0 while it does none. */
  private volatile long since;

  /**
   * @param busyNanos counts the time of work that has ended
   */
  DiskThread(Runnable work, String name, LongAdder busyNanos) {
    super(work, name);
    this.busyNanos = busyNanos;
    setDaemon(true);
  }

  /** From now on the current thread works for its disk. No effect outside of threads of disks. */
  public static void works() {
    if (Thread.currentThread() instanceof DiskThread thread) {
      thread.since = System.nanoTime() | 1;
    }
  }

  /** From now on the current thread does not work for its disk. Idempotent. */
  public static void waits() {
    if (Thread.currentThread() instanceof DiskThread thread) {
      long begin = thread.since;
      if (begin != 0) {
        thread.since = 0;
        thread.busyNanos.add(System.nanoTime() - begin);
      }
    }
  }

  /** The time of the work that has not ended. Any thread. */
  long nanosSoFar(long nowNanos) {
    long begin = since;
    return begin == 0 ? 0 : Math.max(0, nowNanos - begin);
  }
}
