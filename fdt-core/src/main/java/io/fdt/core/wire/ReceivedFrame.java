package io.fdt.core.wire;

import io.netty.buffer.ByteBuf;

/**
 * A frame of data as it came: header, payload, and whether the payload is what its checksum says.
 *
 * <p>Whoever holds it releases it, once. Not thread-safe.
 */
public class ReceivedFrame {
  private final FrameHeader header;
  private final ByteBuf payload;
  private final boolean intact;

  /** Takes over {@code payload}. */
  public ReceivedFrame(FrameHeader header, ByteBuf payload, boolean intact) {
    this.header = header;
    this.payload = payload;
    this.intact = intact;
  }

  public FrameHeader header() {
    return header;
  }

  /** All of the payload, from reader index to writer index. */
  public ByteBuf payload() {
    return payload;
  }

  /** Whether the payload matches its checksum; one that does not must never be written. */
  public boolean isIntact() {
    return intact;
  }

  public void release() {
    payload.release();
  }
}
