package io.fdt.core.wire;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * Assembles frames from the bytes of a data connection without copying them: it provides the place
 * of the next bytes, and the caller reads the socket into it.
 *
 * <pre>
 *   target() -> [40 bytes of header] -> advance -> target() -> [payload of one frame] -> advance -> frame
 * </pre>
 *
 * The checksum is taken while the bytes are in the processor's cache. Memory: one incomplete
 * payload. Bytes beyond {@link #FIRST_BYTES} are allocated only when those before them have
 * arrived, so that a header alone costs little, whatever length it states.
 *
 * <p>Not thread-safe: confined to the event loop of its connection. After an exception, only {@link
 * #close} may be called.
 */
public final class FrameReader implements AutoCloseable {
  /** Takes over complete frames. */
  @FunctionalInterface
  public interface Sink {
    void frame(ReceivedFrame frame) throws FdtException;
  }

  /**
   * The usual length of a block, so that it needs no copy. Times the most streams of a session,
   * 128, that is 128 MiB; with the longest blocks, 64 MiB, it would be 8 GiB.
   */
  static final int FIRST_BYTES = 1 << 20;

  /** A payload of 64 MiB arrives in pieces of 1, 4, 16 and 64 MiB, and a third of it is copied. */
  private static final int GROWTH = 4;

  private final int maxPayload;
  private final ByteBufAllocator allocator;
  private final PayloadDecoder decoder;
  private final Crc32c crc = new Crc32c();
  private final ByteBuf headerBytes;
  private FrameHeader header;
  private ByteBuf payload;
  private long nextNumber;
  private long payloadBytes;

  /**
   * @param maxPayload longest payload that is accepted, in bytes, encoded or not
   */
  public FrameReader(int maxPayload, ByteBufAllocator allocator, PayloadDecoder decoder) {
    this.maxPayload = maxPayload;
    this.allocator = allocator;
    this.decoder = decoder;
    this.headerBytes = allocator.directBuffer(FrameHeader.LENGTH, FrameHeader.LENGTH);
  }

  /**
   * The buffer for the next bytes: empty, with room for at least one byte and at most the rest of
   * the current header or payload. The caller releases it.
   */
  public ByteBuf target() {
    ByteBuf whole = header == null ? headerBytes : payload;
    int filled = whole.writerIndex();
    return whole.retainedSlice(filled, whole.maxCapacity() - filled).setIndex(0, 0);
  }

  /** Processes the first {@code count} bytes that were read into the last {@link #target}. */
  public void advance(int count, Sink sink) throws FdtException {
    if (header == null) {
      headerBytes.writerIndex(headerBytes.writerIndex() + count);
      if (headerBytes.writerIndex() < FrameHeader.LENGTH) {
        return;
      }
      begin(FrameHeader.read(headerBytes, maxPayload));
      headerBytes.clear();
    } else {
      payloadBytes += count;
      if (header.encoding() == PayloadDecoder.PLAIN) {
        crc.update(payload, payload.writerIndex(), count);
      }
      payload.writerIndex(payload.writerIndex() + count);
    }
    if (header == null || payload.isWritable()) {
      return;
    }
    if (payload.writerIndex() == header.wireLength()) {
      complete(sink);
    } else {
      grow();
    }
  }

  /** Bytes of payloads received, including the incomplete one. */
  public long payloadBytes() {
    return payloadBytes;
  }

  private void grow() {
    int capacity =
        Math.toIntExact(Math.min(header.wireLength(), GROWTH * (long) payload.capacity()));
    ByteBuf larger = allocator.directBuffer(capacity, capacity);
    larger.writeBytes(payload, 0, payload.writerIndex());
    payload.release();
    payload = larger;
  }

  /** Copies bytes that could not be read into {@link #target}. Releases {@code bytes}. */
  public void copyAndRelease(ByteBuf bytes, Sink sink) throws FdtException {
    try {
      while (bytes.isReadable()) {
        ByteBuf target = target();
        int count = Math.min(bytes.readableBytes(), target.writableBytes());
        target.writeBytes(bytes, count).release();
        advance(count, sink);
      }
    } finally {
      bytes.release();
    }
  }

  private void begin(FrameHeader next) throws FdtException {
    if (next.number() != nextNumber) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "frame number=" + next.number() + " where number=" + nextNumber + " is expected");
    }
    nextNumber++;
    header = next;
    int capacity = Math.min(next.wireLength(), FIRST_BYTES);
    payload = allocator.directBuffer(capacity, capacity);
    crc.reset();
  }

  private void complete(Sink sink) throws FdtException {
    ReceivedFrame frame =
        header.encoding() == PayloadDecoder.PLAIN
            ? new ReceivedFrame(header, payload, crc.value() == header.payloadCrc())
            : decoded();
    boolean idle = header.type() == FrameHeader.Type.IDLE;
    header = null;
    payload = null;
    if (idle) {
      frame.release();
    } else {
      sink.frame(frame);
    }
  }

  /** The frame with its plain payload, checked against the header's checksum. */
  private ReceivedFrame decoded() throws FdtException {
    int length = header.length();
    ByteBuf plain = allocator.directBuffer(length, length);
    try {
      boolean whole = decoder.decode(header.encoding(), payload, plain);
      boolean intact = whole && Crc32c.of(plain, 0, length) == header.payloadCrc();
      payload.release();
      return new ReceivedFrame(header, plain, intact);
    } catch (FdtException | RuntimeException | Error e) {
      plain.release();
      throw e;
    }
  }

  /** Releases an incomplete frame. Idempotent. */
  @Override
  public void close() {
    if (payload != null) {
      payload.release();
      payload = null;
    }
    if (headerBytes.refCnt() > 0) {
      headerBytes.release();
    }
  }
}
