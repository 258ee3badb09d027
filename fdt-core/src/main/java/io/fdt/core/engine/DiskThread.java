package io.fdt.core.engine;

/**
 * A thread of a disk, with the time in which it has waited for something other than the disk.
 * Confined to itself.
 */
public final class DiskThread extends Thread {
  private long waitedNanos;

  DiskThread(Runnable work, String name) {
    super(work, name);
    setDaemon(true);
  }

  /** Records that the current thread has waited; no effect outside of threads of disks. */
  public static void waited(long nanos) {
    if (Thread.currentThread() instanceof DiskThread thread) {
      thread.waitedNanos += nanos;
    }
  }

  /** The time that the current thread has waited so far. */
  static long waitedNanos() {
    return Thread.currentThread() instanceof DiskThread thread ? thread.waitedNanos : 0;
  }
}
