package io.fdt.core.wire;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * The bytes of one data connection, turned into frames without copying payloads.
 *
 * <pre>
 *   in:      |--- buffer ---|--- buffer ---|--- buffer ---|
 *   frames:  [h|payload][h|payl    oad          ][h|pa...
 *   parts:      =======    ====|================|   ==|       retained slices
 * </pre>
 *
 * <p>Payload bytes are checksummed as they pass, while they are in the processor's cache. Buffers
 * that are mostly empty are copied instead of kept: a slice of a few bytes would keep all of its
 * buffer alive, and a peer that trickles would have memory for nothing. So the memory behind one
 * frame is at most four times its payload and two buffers more.
 *
 * <p>A damaged payload is the sink's to notice; a damaged header, or a frame out of order, ends the
 * stream. Not thread-safe: confined to the event loop of the connection.
 */
public final class FrameDecoder implements AutoCloseable {
  /** A buffer is worth keeping when at least this part of it holds bytes that were received. */
  private static final int KEEP_WHEN_FILLED_TO = 4;

  private final int maxPayload;
  private final ByteBuf partialHeader = Unpooled.buffer(FrameHeader.LENGTH, FrameHeader.LENGTH);
  private long nextNumber;
  private ReceivedFrame partialFrame;
  private boolean closed;

  /** A decoder of a stream whose next frame has number 0. */
  public FrameDecoder(int maxPayload) {
    if (maxPayload < 0) {
      throw new IllegalArgumentException("negative limit of payloads: " + maxPayload);
    }
    this.maxPayload = maxPayload;
  }

  /**
   * Takes over one reference of {@code in} and gives every frame that is complete now to the sink.
   * After a failure, or {@link #close}, the decoder is dead: whatever else is fed is released.
   *
   * @throws FdtException PROTOCOL when the peer broke the rules; or what the sink threw
   */
  public void feed(ByteBuf in, FrameSink sink) throws FdtException {
    boolean alive = false;
    try {
      boolean mayKeep = in.readableBytes() >= in.capacity() / KEEP_WHEN_FILLED_TO;
      while (!closed && in.isReadable()) {
        advance(in, mayKeep, sink);
      }
      alive = true;
    } finally {
      in.release();
      if (!alive) {
        close();
      }
    }
  }

  /** The number of the next frame whose header has not been seen yet. */
  public long nextNumber() {
    return nextNumber;
  }

  /** Whether the stream could end here: no frame has begun. */
  public boolean isBetweenFrames() {
    return partialFrame == null && !partialHeader.isReadable();
  }

  /** Releases a frame that is not complete. Idempotent; also from within the sink. */
  @Override
  public void close() {
    closed = true;
    partialHeader.clear();
    if (partialFrame != null) {
      ReceivedFrame frame = partialFrame;
      partialFrame = null;
      frame.release();
    }
  }

  private void advance(ByteBuf in, boolean mayKeep, FrameSink sink) throws FdtException {
    if (partialFrame == null) {
      FrameHeader header = readHeader(in);
      if (header == null) {
        return;
      }
      if (header.number() != nextNumber) {
        throw new FdtException(
            ErrorCode.PROTOCOL,
            "frame out of order: number=" + header.number() + " expected=" + nextNumber);
      }
      nextNumber++;
      if (header.type() == FrameHeader.Type.IDLE) {
        return;
      }
      partialFrame = new ReceivedFrame(header, in.alloc());
    }
    partialFrame.take(in, mayKeep);
    if (partialFrame.missing() == 0) {
      ReceivedFrame frame = partialFrame;
      partialFrame = null;
      sink.frame(frame);
    }
  }

  /** The next header, or null when it is not there yet, and what there is of it is kept. */
  private FrameHeader readHeader(ByteBuf in) throws FdtException {
    if (!partialHeader.isReadable() && in.readableBytes() >= FrameHeader.LENGTH) {
      return FrameHeader.read(in, maxPayload);
    }
    int length = Math.min(partialHeader.writableBytes(), in.readableBytes());
    partialHeader.writeBytes(in, length);
    if (partialHeader.isWritable()) {
      return null;
    }
    FrameHeader header = FrameHeader.read(partialHeader, maxPayload);
    partialHeader.clear();
    return header;
  }
}
