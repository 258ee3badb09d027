package io.fdt.core.buffer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;

/** The cost of taking the buffer of a block from the pool and giving it back. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class BufferBenchmark {
  private final ByteBufAllocator allocator = BlockAllocator.create(2);
  private final BufferBudget budget = new BufferBudget(32 << 20);

  /** With one thread, like a disk reader. */
  @Benchmark
  public void takeAndGiveBack() throws InterruptedException {
    block();
  }

  /** With two threads: readers, event loop and writers share the budget. */
  @Benchmark
  @Threads(2)
  public void takeAndGiveBackByTwo() throws InterruptedException {
    block();
  }

  private void block() throws InterruptedException {
    budget.take(1 << 20);
    ByteBuf buffer = allocator.directBuffer(1 << 20);
    buffer.release();
    budget.giveBack(1 << 20);
  }
}
