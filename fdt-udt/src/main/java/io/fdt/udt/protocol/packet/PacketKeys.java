package io.fdt.udt.protocol.packet;

import io.fdt.core.wire.PathKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/**
 * The keys of one connection with encrypted packets. They depend on the stream, and on the ids that
 * both ends have chosen for this connection: keys of another connection decrypt nothing, even if
 * the same stream is joined twice.
 *
 * @param out for packets of this end
 * @param in for packets of the peer
 */
public record PacketKeys(Direction out, Direction in) {
  public static final int SALT = 4;
  private static final int KEY = 16;
  private static final byte[] CONTEXT = "FDT packets 1".getBytes(StandardCharsets.US_ASCII);

  /** The keys of one direction. */
  @SuppressWarnings("ArrayRecordComponent") // no holder changes them
  public record Direction(SecretKey key, byte[] salt) {}

  /**
   * Derives the keys of a connection.
   *
   * @param dialed whether this end has dialled
   */
  public static PacketKeys of(PathKey secret, Terms terms, boolean dialed) {
    int dialer = dialed ? terms.ownSocket() : terms.peerSocket();
    int listener = dialed ? terms.peerSocket() : terms.ownSocket();
    Direction there = direction(secret, 0, dialer, listener, terms.initial());
    Direction back = direction(secret, 1, dialer, listener, terms.initial());
    return dialed ? new PacketKeys(there, back) : new PacketKeys(back, there);
  }

  private static Direction direction(
      PathKey secret, int direction, int dialer, int listener, int initial) {
    ByteBuffer info = ByteBuffer.allocate(CONTEXT.length + 4 * Integer.BYTES);
    info.put(CONTEXT).putInt(direction).putInt(dialer).putInt(listener).putInt(initial);
    byte[] bytes = secret.expand(info.array(), KEY + SALT);
    return new Direction(
        new SecretKeySpec(bytes, 0, KEY, "AES"), Arrays.copyOfRange(bytes, KEY, KEY + SALT));
  }
}
