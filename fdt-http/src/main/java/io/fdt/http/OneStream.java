package io.fdt.http;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Map;
import java.util.TreeMap;

/**
 * A file of a server without ranges: one response, read forward. Readers are a few blocks apart, so
 * bytes that a reader skips are held for the others; what is no longer held needs a new response
 * from the start.
 *
 * <p>Not thread-safe. Memory: up to 64 MiB.
 */
final class OneStream implements AutoCloseable {
  private static final long MOST_HELD = 64 << 20;
  private static final int STEP = 1 << 20;

  /** Requests the whole file again. */
  interface Restart {
    /**
     * Opens it.
     *
     * @throws FdtException SOURCE_CHANGED when it is another version, or may be
     */
    Body open() throws FdtException;
  }

  private final String from;
  private final long size;
  private final Restart restart;
  private final TreeMap<Long, ByteBuf> held = new TreeMap<>();
  private long heldBytes;

  /** Null before the first read and after a failure. */
  private Body body;

  private long position;

  /**
   * @param from the URL, for messages
   * @param size bytes of the file
   */
  OneStream(String from, long size, Restart restart) {
    this.from = from;
    this.size = size;
    this.restart = restart;
  }

  /** Appends exactly {@code length} bytes. */
  void read(ByteBuf target, int length, long offset) throws FdtException {
    if (takeHeld(target, length, offset)) {
      return;
    }
    if (body == null || offset < position) {
      close();
      body = restart.open();
    }
    try {
      while (position < offset) {
        int step = (int) Math.min(STEP, offset - position);
        long at = position;
        hold(at, forward(Unpooled.buffer(step, step), step));
      }
      ByteBuf unused = forward(target, length);
    } catch (FdtException e) {
      close();
      throw e;
    }
  }

  private ByteBuf forward(ByteBuf target, int length) throws FdtException {
    int read = body.read(target, length);
    position += read;
    if (read < length || (position == size && !body.isAtEnd())) {
      throw new FdtException(
          ErrorCode.SOURCE_CHANGED,
          "'%s' has %s %d bytes, its size before; run the command again"
              .formatted(from, read < length ? "fewer than" : "more than", size));
    }
    return target;
  }

  private void hold(long at, ByteBuf bytes) {
    held.put(at, bytes);
    heldBytes += bytes.readableBytes();
    while (heldBytes > MOST_HELD) {
      heldBytes -= held.pollFirstEntry().getValue().readableBytes();
    }
  }

  private boolean takeHeld(ByteBuf target, int length, long offset) {
    Map.Entry<Long, ByteBuf> first = held.floorEntry(offset);
    for (long end = offset;
        end < offset + length;
        end = first.getKey() + first.getValue().readableBytes()) {
      first = held.floorEntry(end);
      if (first == null || first.getKey() + first.getValue().readableBytes() <= end) {
        return false;
      }
    }
    for (long at = offset; at < offset + length; ) {
      Map.Entry<Long, ByteBuf> one = held.floorEntry(at);
      int known = (int) (at - one.getKey());
      int part = (int) Math.min(one.getValue().readableBytes() - known, offset + length - at);
      target.writeBytes(one.getValue(), known, part);
      at += part;
      if (known + part == one.getValue().readableBytes()) {
        held.remove(one.getKey());
        heldBytes -= one.getValue().readableBytes();
      }
    }
    return true;
  }

  @Override
  public void close() {
    if (body != null) {
      body.close();
    }
    body = null;
    position = 0;
  }
}
