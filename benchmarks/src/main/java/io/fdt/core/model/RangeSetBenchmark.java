package io.fdt.core.model;

import java.util.SplittableRandom;
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

/** The cost of reassembly for each block of a file of 4 GiB, by the degree of disorder. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class RangeSetBenchmark {
  private static final int BLOCKS = 4096;

  /** The size of the groups of blocks that arrive in random order; 1 means in order. */
  @Param({"1", "16", "4096"})
  public int disorder;

  private final long[] starts = new long[BLOCKS];

  /** Shuffles the blocks within groups. */
  @Setup
  public void makeOrder() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < BLOCKS; i++) {
      starts[i] = (long) i << 20;
    }
    for (int group = 0; group < BLOCKS; group += disorder) {
      for (int i = disorder - 1; i > 0; i--) {
        int other = random.nextInt(i + 1);
        long start = starts[group + i];
        starts[group + i] = starts[group + other];
        starts[group + other] = start;
      }
    }
  }

  /** Reassembles a file; the figure is for one block. */
  @Benchmark
  @OperationsPerInvocation(BLOCKS)
  public boolean reassemble() {
    RangeSet ranges = new RangeSet();
    for (long start : starts) {
      ranges.add(start, start + (1 << 20));
    }
    return ranges.contains(0, (long) BLOCKS << 20);
  }
}
