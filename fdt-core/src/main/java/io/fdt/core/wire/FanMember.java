package io.fdt.core.wire;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.netty.buffer.ByteBuf;

/**
 * What a connection of a fan sends right after its {@link Preface}: which fan it belongs to.
 *
 * <pre>
 *   0                               16      17      18
 *   +-------------------------------+-------+-------+
 *   |  fan id                       | count | index |
 *   +-------------------------------+-------+-------+
 * </pre>
 *
 * <p>Immutable.
 *
 * @param fan 128 random bits, chosen by the dialing end
 * @param count connections of the fan, 2 to {@link #MAX_COUNT}
 * @param index of this connection, from 0
 */
public record FanMember(SessionId fan, int count, int index) {
  /** Bytes. */
  public static final int LENGTH = SessionId.LENGTH + 2;

  /** Connections that one fan can have. */
  public static final int MAX_COUNT = 64;

  public FanMember {
    if (count < 2 || count > MAX_COUNT || index < 0 || index >= count) {
      throw new IllegalArgumentException("connection " + index + " of " + count);
    }
  }

  /** Appends the 18 bytes. */
  public void write(ByteBuf out) {
    fan.write(out);
    out.writeByte(count);
    out.writeByte(index);
  }

  /**
   * Takes 18 bytes.
   *
   * @throws FdtException PROTOCOL when count or index is out of range
   * @throws IndexOutOfBoundsException when there are fewer bytes
   */
  public static FanMember read(ByteBuf in) throws FdtException {
    WireBytes.requireReadable(in, LENGTH, "a member of a fan");
    SessionId fan = SessionId.read(in);
    int count = in.readUnsignedByte();
    int index = in.readUnsignedByte();
    if (count < 2 || count > MAX_COUNT || index >= count) {
      throw new FdtException(
          ErrorCode.PROTOCOL, "fan with connection " + index + " of " + count + " connections");
    }
    return new FanMember(fan, count, index);
  }
}
