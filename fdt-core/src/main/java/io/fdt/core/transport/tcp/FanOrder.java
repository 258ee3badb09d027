package io.fdt.core.transport.tcp;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.wire.FanCell;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;

/**
 * Puts the cells of a fan in order: a merge of what each connection brings.
 *
 * <pre>
 *   connection 0   cell 0 | cell 3 ...         next(): 0, 1, 2, and then nothing
 *   connection 1   cell 1 | cell 5 | cell 6            before cell 3 comes
 *   connection 2   cell 2 | cell 4 ...
 * </pre>
 *
 * <p>The cells of one connection have increasing numbers, so only its first cell can be the next
 * one: the others wait behind it, as they came. Bytes of the next cell are handed on before the
 * cell is complete. Nothing is copied.
 *
 * <p>What waits is bounded by the caller, who reads no more of a connection that {@link #isAhead}
 * and has enough waiting. It must go on reading all others: one of them owes the next cell.
 *
 * <p>Not thread-safe.
 */
final class FanOrder {
  /**
   * A number further ahead is a violation: a fan with so many cells of at least a byte on their way
   * would have 800 MB there.
   */
  static final long MOST_AHEAD = 1L << 26;

  /** One connection: its first cell, and the bytes that have come and are not handed on. */
  private static final class Line {
    final ArrayDeque<ByteBuf> waiting = new ArrayDeque<>();
    long waitingBytes;

    /** Memory of the buffers that wait: more than their bytes. */
    long waitingMemory;

    /** The header of a cell that has come in part. */
    final ByteBuf header = Unpooled.buffer(FanCell.LENGTH, FanCell.LENGTH);

    /** The first cell whose bytes were not all handed on; null before its header is complete. */
    FanCell cell;

    /** Bytes of {@link #cell} that were not handed on. */
    int rest;

    long lastNumber = -1;
    boolean hasEnded;
  }

  private final Line[] lines;
  private long next;

  /** Cells that there are; -1 before the end is known. */
  private long count = -1;

  /** The line that the last bytes came from. */
  private int current;

  /**
   * @param connections of the fan
   */
  FanOrder(int connections) {
    lines = new Line[connections];
    for (int i = 0; i < connections; i++) {
      lines[i] = new Line();
    }
  }

  /**
   * Takes what one connection has brought, and its reference.
   *
   * @throws FdtException PROTOCOL: the cells are not those of a fan. Nothing more may be added
   */
  void add(int connection, ByteBuf bytes) throws FdtException {
    Line line = lines[connection];
    if (!bytes.isReadable()) {
      bytes.release();
      return;
    }
    line.waiting.add(bytes);
    line.waitingBytes += bytes.readableBytes();
    line.waitingMemory += bytes.capacity();
    readHeader(line);
  }

  private void readHeader(Line line) throws FdtException {
    while (line.cell == null && line.waitingBytes > 0) {
      if (line.hasEnded) {
        throw violation("bytes behind the end of a connection");
      }
      ByteBuf first = line.waiting.peek();
      int length = Math.min(first.readableBytes(), line.header.writableBytes());
      line.header.writeBytes(first, length);
      line.waitingBytes -= length;
      dropIfEmpty(line);
      if (!line.header.isWritable()) {
        begin(line, FanCell.read(line.header));
        line.header.clear();
      }
    }
  }

  private void begin(Line line, FanCell cell) throws FdtException {
    if (cell.number() <= line.lastNumber || cell.number() < next) {
      throw violation("cell %d again, or late: next=%d".formatted(cell.number(), next));
    }
    if (cell.number() - next > MOST_AHEAD) {
      throw violation("cell %d is too far ahead: next=%d".formatted(cell.number(), next));
    }
    line.lastNumber = cell.number();
    if (cell.isEnd()) {
      end(line, cell.number());
    } else if (count >= 0 && cell.number() >= count) {
      throw violation("cell %d of %d cells".formatted(cell.number(), count));
    } else {
      line.cell = cell;
      line.rest = cell.length();
    }
    checkSomebodyOwesNext();
  }

  private void end(Line line, long cells) throws FdtException {
    if (count >= 0 && cells != count) {
      throw violation("two ends: %d and %d cells".formatted(count, cells));
    }
    for (Line other : lines) {
      if (other.lastNumber >= cells && other != line && !other.hasEnded) {
        throw violation("an end at %d cells behind cell %d".formatted(cells, other.lastNumber));
      }
    }
    count = cells;
    line.hasEnded = true;
  }

  /** When each connection shows a later cell, or has none any more, the next one never comes. */
  private void checkSomebodyOwesNext() throws FdtException {
    if (isEnded()) {
      return;
    }
    boolean isOwed = false;
    for (Line line : lines) {
      if (line.cell != null && line.cell.number() < next) {
        throw violation("cell %d again, or late: next=%d".formatted(line.cell.number(), next));
      }
      isOwed |= line.cell == null ? !line.hasEnded : line.cell.number() == next;
    }
    if (!isOwed) {
      throw violation("no connection brings cell " + next);
    }
  }

  private static FdtException violation(String text) {
    return new FdtException(ErrorCode.PROTOCOL, "in a fan of connections: " + text);
  }

  /**
   * The next bytes of the stream, whose reference passes to the caller; null while they have not
   * come.
   *
   * @throws FdtException as {@link #add}
   */
  ByteBuf next() throws FdtException {
    Line line = owner();
    if (line == null) {
      return null;
    }
    ByteBuf first = line.waiting.peek();
    int length = Math.min(first.readableBytes(), line.rest);
    ByteBuf bytes;
    line.waitingBytes -= length;
    line.rest -= length;
    if (length == first.readableBytes()) {
      bytes = line.waiting.remove();
      line.waitingMemory -= bytes.capacity();
    } else {
      bytes = first.readRetainedSlice(length);
    }
    if (line.rest == 0) {
      line.cell = null;
      next++;
      try {
        readHeader(line);
        checkSomebodyOwesNext();
      } catch (FdtException | RuntimeException | Error e) {
        bytes.release();
        throw e;
      }
    }
    return bytes;
  }

  /** Whether {@link #next} has bytes. */
  boolean hasNext() {
    return owner() != null;
  }

  /** The line with bytes of the next cell; null if they have not come. */
  private Line owner() {
    for (int i = 0; i < lines.length; i++) {
      int at = current + i < lines.length ? current + i : current + i - lines.length;
      Line line = lines[at];
      if (line.cell != null && line.cell.number() == next) {
        current = at;
        return line.waitingBytes > 0 ? line : null;
      }
    }
    return null;
  }

  private static void dropIfEmpty(Line line) {
    ByteBuf first = line.waiting.peek();
    if (!first.isReadable()) {
      line.waitingMemory -= first.capacity();
      line.waiting.remove().release();
    }
  }

  /** Whether the first cell of a connection has to wait for those of others. */
  boolean isAhead(int connection) {
    FanCell cell = lines[connection].cell;
    return cell != null && cell.number() != next;
  }

  /** Memory that is held for a connection, in bytes. */
  long waitingMemory(int connection) {
    return lines[connection].waitingMemory;
  }

  /** Whether the other end has said, on any connection, that it closes the fan. */
  boolean isClosing() {
    return count >= 0;
  }

  /** Whether all cells that there are have been handed on. */
  boolean isEnded() {
    return next == count;
  }

  /**
   * Whether a connection that brings no more has what was promised: what has come ends with the
   * end, or with a complete cell whose turn has not come.
   */
  boolean isWhole(int connection) {
    Line line = lines[connection];
    return line.hasEnded || (line.cell != null && line.waitingBytes >= line.rest);
  }

  /** Drops what waits. Idempotent. */
  void release() {
    for (Line line : lines) {
      line.waiting.forEach(ByteBuf::release);
      line.waiting.clear();
      line.waitingBytes = 0;
      line.waitingMemory = 0;
    }
  }
}
