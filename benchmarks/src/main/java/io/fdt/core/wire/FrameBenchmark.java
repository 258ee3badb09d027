package io.fdt.core.wire;

import io.fdt.core.buffer.BlockAllocator;
import io.fdt.core.error.FdtException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
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
 * The overhead of a frame: a header for each block at either end, and the frame reader of the
 * receiver.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class FrameBenchmark {
  /** Bytes of payload; the shortest shows the fixed cost. */
  @Param({"1", "65536", "1048576"})
  public int payload;

  private final ByteBufAllocator allocator = BlockAllocator.create(1);
  private final ByteBuf header = Unpooled.directBuffer(FrameHeader.LENGTH);
  private ByteBuf frame;
  private FrameReader reader;
  private int crc;
  private long number;

  /** Makes one frame as received from a stream. */
  @Setup
  public void makeFrame() {
    ByteBuf bytes = Unpooled.directBuffer(Math.max(1, payload)).writeZero(payload);
    crc = Crc32c.of(bytes, 0, payload);
    frame = Unpooled.directBuffer(FrameHeader.LENGTH + payload);
    FrameHeader.block(0, 1, 0, payload, crc).write(frame);
    frame.writeBytes(bytes);
    bytes.release();
    reader = new FrameReader(1 << 20, allocator, PayloadDecoder.NONE);
  }

  /** Releases the buffers. */
  @TearDown
  public void release() {
    reader.close();
    frame.release();
    header.release();
  }

  /** Writes and reads a header, with its own checksum. */
  @Benchmark
  public FrameHeader headerThereAndBack() throws FdtException {
    header.clear();
    FrameHeader.block(7, 42, 1L << 40, payload, 0x1234).write(header);
    return FrameHeader.read(header, 1 << 20);
  }

  /** Reads a frame, and copies its payload into a pooled buffer. */
  @Benchmark
  public void throughTheReader() throws FdtException {
    FrameHeader.block(number++, 1, 0, payload, crc).writeAt(frame, 0);
    reader.copyAndRelease(frame.retainedDuplicate(), received -> received.release());
  }
}
