package io.fdt.core.storage.stream;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Range;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.DestinationDirectory.PendingFile;
import io.fdt.core.storage.Durability;
import io.fdt.core.storage.forward.ForwardingFile;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.TreeMap;

/**
 * A file of a storage that only appends: hands blocks and holes on in order. Early blocks are held
 * in memory until the earlier ones have arrived; the sender stays within a window, so that they are
 * few.
 *
 * <p>Any thread; one at a time writes to the file beneath, and the others wait.
 */
public final class InOrderFile extends ForwardingFile {
  /** A block or a hole that came early; {@code bytes} is null for a hole. */
  private record Held(byte[] bytes, long end) {}

  private final long window;

  // Guarded by this.
  private final TreeMap<Long, Held> held = new TreeMap<>();
  private long heldBytes;
  private long next;

  /**
   * @param file receives the bytes in order
   * @param window most bytes held
   */
  public InOrderFile(PendingFile file, long window) {
    super(file);
    this.window = window;
  }

  @Override
  public synchronized void write(ByteBuf source, long offset) throws FdtException {
    int length = source.readableBytes();
    if (offset != next) {
      if (length > window - heldBytes) {
        throw tooEarly(offset);
      }
      hold(offset, new Held(ByteBufUtil.getBytes(source), offset + length));
      heldBytes += length;
      return;
    }
    super.write(source, offset);
    next += length;
    writeHeld();
  }

  @Override
  public synchronized void makeHole(Range range) throws FdtException {
    hold(range.start(), new Held(null, range.end()));
    writeHeld();
  }

  private void hold(long offset, Held block) throws FdtException {
    if (offset < next || held.putIfAbsent(offset, block) != null) {
      throw tooEarly(offset);
    }
  }

  private void writeHeld() throws FdtException {
    while (!held.isEmpty() && held.firstKey() == next) {
      Held block = held.pollFirstEntry().getValue();
      if (block.bytes() == null) {
        super.makeHole(new Range(next, block.end()));
      } else {
        heldBytes -= block.bytes().length;
        super.write(Unpooled.wrappedBuffer(block.bytes()), next);
      }
      next = block.end();
    }
  }

  private FdtException tooEarly(long offset) {
    return new FdtException(
        ErrorCode.PROTOCOL,
        "block at %d, next offset %d: more than %d bytes ahead, or a repetition"
            .formatted(offset, next, window));
  }

  @Override
  public synchronized void publish(int mode, Timestamp modified, Durability durability)
      throws FdtException {
    super.publish(mode, modified, durability);
  }
}
