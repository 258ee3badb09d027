package io.fdt.core.wire;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.netty.buffer.ByteBuf;

/**
 * The header of a cell: a piece of the byte stream that a fan carries, on one of its connections.
 *
 * <pre>
 *   0                       8           12
 *   +-----------------------+-----------+-----------------+
 *   |  number               |  length   |  bytes: length  |
 *   +-----------------------+-----------+-----------------+
 * </pre>
 *
 * <p>Cells are numbered from 0 in each direction of a fan; on one connection the numbers increase.
 * A cell without bytes is the end: it has the number that the next cell would have, and comes last
 * on each connection when the sender closes the fan. Immutable.
 *
 * @param number of the cell
 * @param length bytes that follow, 1 to {@link #MAX_BYTES}; 0 for the end
 */
public record FanCell(long number, int length) {
  /** Bytes of a header. */
  public static final int LENGTH = 12;

  /**
   * Longest cell. Large enough that headers are 0.02 % of the traffic, and small enough that a slow
   * connection does not hold back the cells behind it for long: 64 KiB at 100 Mbit/s are 5 ms.
   */
  public static final int MAX_BYTES = 64 << 10;

  public FanCell {
    if (number < 0 || length < 0 || length > MAX_BYTES) {
      throw new IllegalArgumentException("cell " + number + " of " + length + " bytes");
    }
  }

  public boolean isEnd() {
    return length == 0;
  }

  /** Appends the 12 bytes. */
  public void write(ByteBuf out) {
    out.writeLong(number);
    out.writeInt(length);
  }

  /**
   * Takes 12 bytes.
   *
   * @throws FdtException PROTOCOL when number or length is out of range
   * @throws IndexOutOfBoundsException when there are fewer bytes
   */
  public static FanCell read(ByteBuf in) throws FdtException {
    WireBytes.requireReadable(in, LENGTH, "the header of a cell");
    long number = in.readLong();
    int length = in.readInt();
    if (number < 0 || length < 0 || length > MAX_BYTES) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "cell number="
              + Long.toUnsignedString(number)
              + " length="
              + Integer.toUnsignedString(length)
              + " limit="
              + MAX_BYTES);
    }
    return new FanCell(number, length);
  }
}
