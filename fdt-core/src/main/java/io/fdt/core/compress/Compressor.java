package io.fdt.core.compress;

import io.fdt.core.model.Compression;
import io.fdt.core.wire.PayloadDecoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compresses the payloads of frames at the sender of one session. Thread-safe: each reader thread
 * calls it for the frame that it has filled. Memory: one more block for each thread that
 * compresses.
 */
public final class Compressor {
  private static final Logger LOG = LoggerFactory.getLogger(Compressor.class);

  /** Smallest payload worth compressing, in bytes. */
  private static final int LEAST = 256;

  /** Size of a sample, in bytes: enough for the format to find repetitions. */
  private static final int SAMPLE = 64 << 10;

  /** Used for auto: the fastest level of the format that gains most for its time. */
  private static final Compression AUTOMATIC = new Compression(Compression.Method.ZSTD, 1);

  /** A frame whose payload may be encoded. */
  public record Result(ByteBuf frame, int encoding) {}

  private final ByteBufAllocator allocator;
  private final boolean automatic;
  private volatile boolean on;
  private final Codec codec;
  private final int level;
  private final CompressionPolicy policy;

  /**
   * @param threads that call it at the same time, 1 or more
   */
  public Compressor(Compression compression, ByteBufAllocator allocator, int threads) {
    this.allocator = allocator;
    this.on = compression.isOn();
    this.automatic = compression.method() == Compression.Method.AUTO;
    Compression used = automatic ? AUTOMATIC : compression;
    this.codec = on ? Codec.of(used.method()) : null; // loads the native library only when needed
    this.level = used.level();
    this.policy = new CompressionPolicy(threads);
  }

  /** Whether compression needs the rate of the path. */
  public boolean isAutomatic() {
    return automatic;
  }

  /** Sets the rate of the path in bytes per second; 0 when unknown. */
  public void pathRate(double bytesPerSecond) {
    synchronized (policy) {
      policy.pathRate(bytesPerSecond);
    }
  }

  /**
   * The frame with a shorter payload, or the same frame when that is better. Takes over the frame
   * and returns one; the caller writes the header of an encoded one. Frames stay plain if the
   * library of the format is not available.
   *
   * @param header bytes before the payload
   */
  public Result compress(ByteBuf frame, int header) {
    int length = frame.writerIndex() - header;
    if (!on || length < LEAST) {
      return plain(frame);
    }
    try {
      return automatic ? automatic(frame, header, length) : encoded(frame, header, length);
    } catch (LinkageError e) {
      on = false; // sends plain from here on
      LOG.warn("this machine cannot compress {}: sending plain", codec, e);
      return plain(frame);
    }
  }

  private static Result plain(ByteBuf frame) {
    return new Result(frame, PayloadDecoder.PLAIN);
  }

  private Result automatic(ByteBuf frame, int header, int length) {
    CompressionPolicy.Step step;
    synchronized (policy) {
      step = policy.next();
    }
    boolean whole = step == CompressionPolicy.Step.COMPRESS || length <= SAMPLE;
    if (step == CompressionPolicy.Step.LEAVE || (!whole && !sampled(frame, header, length))) {
      return plain(frame);
    }
    long start = System.nanoTime();
    Result result = encoded(frame, header, length);
    long nanos = System.nanoTime() - start;
    synchronized (policy) {
      policy.seen(length, result.frame().writerIndex() - header, nanos);
    }
    return result;
  }

  /** Whether the middle of the payload compresses well enough. */
  private boolean sampled(ByteBuf frame, int header, int length) {
    ByteBuf scratch = allocator.directBuffer(SAMPLE, SAMPLE);
    try {
      int start = header + (length - SAMPLE) / 2;
      long before = System.nanoTime();
      int encoded =
          codec.encode(frame.nioBuffer(start, SAMPLE), scratch.nioBuffer(0, SAMPLE), level);
      long nanos = System.nanoTime() - before;
      synchronized (policy) {
        return policy.seen(SAMPLE, encoded == Codec.TOO_LONG ? SAMPLE : encoded, nanos);
      }
    } finally {
      scratch.release();
    }
  }

  private Result encoded(ByteBuf frame, int header, int length) {
    ByteBuf scratch = allocator.directBuffer(length, length);
    try {
      // At least one byte less than the plain payload.
      int encoded =
          codec.encode(frame.nioBuffer(header, length), scratch.nioBuffer(0, length - 1), level);
      if (encoded == Codec.TOO_LONG) {
        return plain(frame);
      }
      ByteBuf shorter = allocator.directBuffer(header + encoded, header + encoded);
      shorter.writerIndex(header).writeBytes(scratch, 0, encoded);
      frame.release();
      return new Result(shorter, codec.wireCode());
    } finally {
      scratch.release();
    }
  }
}
