package io.fdt.core.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;

/**
 * One frame as it came from the network: its header, and its payload in the buffers that it was
 * received in.
 *
 * <p>Whoever has it must {@link #release} it. Not thread-safe, but it may be handed from thread to
 * thread: its parts may share memory with other frames, never positions.
 */
public final class ReceivedFrame {
  /** Shorter pieces are copied together, so that many tiny reads do not make many parts. */
  static final int MIN_SLICE = 4 * 1024;

  /**
   * The size of the buffers that they are copied into, or what is left of the payload, if less. A
   * peer that announces a large frame and sends one byte of it costs this much.
   */
  static final int COLLECTOR = 64 * 1024;

  private final FrameHeader header;
  private final ByteBufAllocator allocator;
  private final List<ByteBuf> parts = new ArrayList<>(4);
  private final Crc32c crc = new Crc32c();
  private int received;

  /** Buffers that the frame must make itself come from {@code allocator}. */
  ReceivedFrame(FrameHeader header, ByteBufAllocator allocator) {
    this.header = header;
    this.allocator = allocator;
  }

  public FrameHeader header() {
    return header;
  }

  /** Whether the payload is what the sender put in: its checksum is the one in the header. */
  public boolean isIntact() {
    return crc.value() == header.payloadCrc();
  }

  /** How many buffers hold the payload; at most one for each 4 KiB of it, and one more. */
  public int parts() {
    return parts.size();
  }

  /** One of the buffers: its readable bytes; the reference stays with the frame. */
  public ByteBuf part(int index) {
    return parts.get(index);
  }

  /**
   * The whole payload in one buffer, which is the only part from now on; the reference stays with
   * the frame. Copies only when there are several parts.
   */
  public ByteBuf contiguous() {
    if (parts.isEmpty()) {
      return Unpooled.EMPTY_BUFFER;
    }
    if (parts.size() > 1) {
      ByteBuf whole = allocator.directBuffer(received, received);
      for (ByteBuf part : parts) {
        whole.writeBytes(part, part.readerIndex(), part.readableBytes());
      }
      release();
      parts.add(whole);
    }
    return parts.get(0);
  }

  /** Gives all buffers back. Idempotent. */
  public void release() {
    List<ByteBuf> released = List.copyOf(parts);
    parts.clear();
    for (ByteBuf part : released) {
      part.release();
    }
  }

  int missing() {
    return header.length() - received;
  }

  /**
   * Takes what it still misses from {@code in}, as far as there is.
   *
   * @param mayKeep whether {@code in} is full enough to be worth keeping alive for a slice of it
   */
  void take(ByteBuf in, boolean mayKeep) {
    while (missing() > 0 && in.isReadable()) {
      int length = Math.min(missing(), in.readableBytes());
      ByteBuf collector = collector();
      if (collector != null) {
        collect(in, collector, Math.min(length, collector.writableBytes()));
      } else if (mayKeep && (length >= MIN_SLICE || length == header.length())) {
        keep(in, length);
      } else {
        int capacity = Math.min(missing(), COLLECTOR);
        parts.add(allocator.directBuffer(capacity, capacity));
      }
    }
  }

  /** The last part, if it is a collector with room: those get filled to the brim first. */
  private ByteBuf collector() {
    if (parts.isEmpty()) {
      return null;
    }
    ByteBuf last = parts.get(parts.size() - 1);
    return last.writableBytes() > 0 ? last : null;
  }

  private void collect(ByteBuf in, ByteBuf collector, int length) {
    crc.update(in, in.readerIndex(), length);
    in.readBytes(collector, length);
    received += length;
  }

  private void keep(ByteBuf in, int length) {
    crc.update(in, in.readerIndex(), length);
    parts.add(in.readRetainedSlice(length));
    received += length;
  }
}
