package io.fdt.udt.protocol.packet;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The cookies of a listener: derived from a secret, the address and the minute, so that no state is
 * kept for an unproven address. A cookie is valid for one to two minutes. Not thread-safe.
 */
public final class Cookies {
  private static final long MINUTE_MICROS = 60_000_000;
  private static final String ALGORITHM = "HmacSHA256";

  private final Mac mac;

  /**
   * @param secret random, 16 bytes or more, never disclosed
   */
  public Cookies(byte[] secret) {
    try {
      mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(secret, ALGORITHM));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java has no " + ALGORITHM, e);
    }
  }

  /** The cookie for this address, never zero. */
  public int make(byte[] address, int port, long now) {
    return ofMinute(address, port, now / MINUTE_MICROS);
  }

  private int ofMinute(byte[] address, int port, long minute) {
    mac.update(address);
    byte[] rest = ByteBuffer.allocate(12).putInt(port).putLong(minute).array();
    int cookie = ByteBuffer.wrap(mac.doFinal(rest)).getInt();
    return cookie == 0 ? 1 : cookie;
  }

  /** Whether the cookie is for this address, and from this minute or the previous one. */
  public boolean isValid(int cookie, byte[] address, int port, long now) {
    long minute = now / MINUTE_MICROS;
    return cookie == ofMinute(address, port, minute)
        || cookie == ofMinute(address, port, minute - 1);
  }
}
