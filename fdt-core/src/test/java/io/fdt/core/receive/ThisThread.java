package io.fdt.core.receive;

import io.fdt.core.engine.DiskWorkers;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.engine.TransferThreads;
import io.fdt.core.storage.DiskId;

/** All work is done at once; the time is what a test says. */
public final class ThisThread implements SessionLoop, DiskWorkers, TransferThreads {
  public long nanos;

  @Override
  public void post(Runnable task) {
    task.run();
  }

  @Override
  public void run(Runnable task) {
    task.run();
  }

  @Override
  public void after(long nanos, Runnable task) {
    task.run();
  }

  @Override
  public void fail(String what, Throwable thrown) {
    throw new AssertionError(what, thrown);
  }

  @Override
  public long nanoTime() {
    return nanos;
  }

  @Override
  public int threadsPerDisk() {
    return 1;
  }

  @Override
  public void setThreadsPerDisk(int count) {}

  @Override
  public void submit(DiskId disk, Runnable work) {
    work.run();
  }

  @Override
  public double busiest(long nowNanos) {
    return 0;
  }

  @Override
  public void close() {}

  @Override
  public void awaitEnd() {}

  @Override
  public DiskWorkers ofDisks(String name, int threads) {
    return this;
  }

  @Override
  public SerialWorker oneByOne(String name) {
    throw new AssertionError("nothing is done one by one: " + name);
  }

  @Override
  public void run(String name, Runnable work) {
    work.run();
  }
}
