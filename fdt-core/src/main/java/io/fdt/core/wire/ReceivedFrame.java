package io.fdt.core.wire;

import io.netty.buffer.ByteBuf;

/**
 * A received frame: header, payload, and whether the payload matches its checksum.
 *
 * <p>The holder releases it, once. Not thread-safe.
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

  /** Whether the payload matches its checksum; a damaged one must never be written. */
  public boolean isIntact() {
    return intact;
  }

  public void release() {
    payload.release();
  }
}
