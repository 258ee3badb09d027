package io.fdt.core.wire;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.random.RandomGenerator;

/**
 * The id of one session: 128 random bits, chosen by the client.
 *
 * <p>It is not a secret: it appears in logs. Immutable.
 *
 * @param high the first 8 bytes
 * @param low the last 8 bytes
 */
public record SessionId(long high, long low) {
  /** Bytes of a session id. */
  public static final int LENGTH = 16;

  private static final int SHORT_LENGTH = 8;

  /** A new id; {@code random} should be a {@link java.security.SecureRandom}. */
  public static SessionId random(RandomGenerator random) {
    return new SessionId(random.nextLong(), random.nextLong());
  }

  /**
   * The id with these bytes.
   *
   * @throws IllegalArgumentException when they are not 16
   */
  public static SessionId of(byte[] bytes) {
    if (bytes.length != LENGTH) {
      throw new IllegalArgumentException("session id of " + bytes.length + " bytes, not " + LENGTH);
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return new SessionId(buffer.getLong(), buffer.getLong());
  }

  /** The 16 bytes, in a new array. */
  public byte[] bytes() {
    return ByteBuffer.allocate(LENGTH).putLong(high).putLong(low).array();
  }

  /** Appends the 16 bytes. */
  public void write(ByteBuf out) {
    out.writeLong(high);
    out.writeLong(low);
  }

  /**
   * Takes 16 bytes.
   *
   * @throws IndexOutOfBoundsException when there are fewer
   */
  public static SessionId read(ByteBuf in) {
    WireBytes.requireReadable(in, LENGTH, "a session id");
    return new SessionId(in.readLong(), in.readLong());
  }

  /** The first 8 of its hexadecimal digits, for logs. */
  public String shortName() {
    return toString().substring(0, SHORT_LENGTH);
  }

  // Not generated: see DiskId.
  @Override
  public boolean equals(Object other) {
    return other instanceof SessionId id && id.high == high && id.low == low;
  }

  @Override
  public int hashCode() {
    return 31 * Long.hashCode(high) + Long.hashCode(low);
  }

  /** 32 hexadecimal digits. */
  @Override
  public String toString() {
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(high) + hex.toHexDigits(low);
  }
}
