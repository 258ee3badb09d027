package io.fdt.core.engine;

import io.fdt.core.storage.DiskId;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** The cost of handing one block to the threads of a disk. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class DiskSchedulerBenchmark {
  private static final int BLOCKS = 1000;

  /** Threads that take blocks from one queue. */
  @Param({"1", "2", "8"})
  public int threads;

  private final DiskId disk = new DiskId("benchmark");
  private DiskScheduler scheduler;

  /** Starts the scheduler. */
  @Setup
  public void start() {
    scheduler = new DiskScheduler("benchmark", threads);
  }

  /** Ends its threads. */
  @TearDown
  public void end() {
    scheduler.close();
  }

  /** Completes a burst of blocks; the figure is for one block. */
  @Benchmark
  @OperationsPerInvocation(BLOCKS)
  public void handOver() throws InterruptedException {
    CountDownLatch done = new CountDownLatch(BLOCKS);
    for (int i = 0; i < BLOCKS; i++) {
      scheduler.submit(disk, done::countDown);
    }
    done.await();
  }
}
