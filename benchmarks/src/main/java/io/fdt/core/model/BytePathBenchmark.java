package io.fdt.core.model;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The cost of splitting a path, once for each entry of a transfer. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class BytePathBenchmark {
  /** The number of directories above the file. */
  @Param({"1", "8"})
  public int depth;

  private BytePath path;

  /** Makes the path. */
  @Setup
  public void makePath() {
    path = BytePath.of("directory/".repeat(depth) + "file-000001.dat");
  }

  /** The components of the path, each of them checked. */
  @Benchmark
  public List<FileName> names() {
    return path.names();
  }
}
