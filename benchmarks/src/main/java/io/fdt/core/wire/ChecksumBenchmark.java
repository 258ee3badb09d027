package io.fdt.core.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * The cost of the checksum, computed over every byte at both ends, and of the combination of two
 * checksums, once for each block.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ChecksumBenchmark {
  /** Bytes in one block. */
  @Param({"40", "65536", "1048576"})
  public int length;

  private ByteBuf block;

  /** Makes the block. */
  @Setup
  public void makeBlock() {
    block = Unpooled.directBuffer(length).writeZero(length);
  }

  /** Releases the block. */
  @TearDown
  public void release() {
    block.release();
  }

  /** CRC32C of direct memory. */
  @Benchmark
  public int crc32c() {
    return Crc32c.of(block, 0, length);
  }

  /** The checksum of two ranges from those of each. */
  @Benchmark
  public int combine() {
    return Crc32cCombine.combine(0x12345678, 0x9abcdef0, length);
  }
}
