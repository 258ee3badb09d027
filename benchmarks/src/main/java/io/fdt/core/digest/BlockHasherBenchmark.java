package io.fdt.core.digest;

import io.fdt.core.model.Checksum;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Random;
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

/** The rate at which one thread hashes blocks of 1 MiB, in MiB/s. */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class BlockHasherBenchmark {
  private static final int BLOCK = 1 << 20;

  /** The parts of the digest. */
  @Param({"CRC32C", "XXH3", "BLAKE3", "SHA256"})
  public Checksum checksum;

  private ByteBuf block;
  private BlockHasher hasher;

  /** Fills the block. */
  @Setup
  public void fillBlock() {
    byte[] bytes = new byte[BLOCK];
    new Random(1).nextBytes(bytes);
    block = Unpooled.directBuffer(BLOCK, BLOCK).writeBytes(bytes);
    hasher = new BlockHasher(DigestMethod.of(checksum, BLOCK));
  }

  /** Gives the memory back. */
  @TearDown
  public void release() {
    block.release();
  }

  /** The digest of a file of one block. */
  @Benchmark
  public byte[] block() {
    return hasher.whole(block, 0, BLOCK);
  }
}
