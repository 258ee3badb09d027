package io.fdt.service.value;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;

/** Random names and secrets, and the hashes under which secrets are stored. Any thread. */
public final class Secrets {
  private static final SecureRandom RANDOM = new SecureRandom();

  private static final int SECRET_BYTES = 32;

  private static final int ID_BYTES = 10;

  private Secrets() {}

  /** A secret that begins with this prefix. */
  public static String secret(String prefix) {
    byte[] bytes = new byte[SECRET_BYTES];
    RANDOM.nextBytes(bytes);
    return prefix + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** The id of something that is stored: 20 hexadecimal digits. */
  public static String id() {
    byte[] bytes = new byte[ID_BYTES];
    RANDOM.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  public static byte[] bytes(int count) {
    byte[] bytes = new byte[count];
    RANDOM.nextBytes(bytes);
    return bytes;
  }

  /** SHA-256 in hexadecimal digits; enough for secrets of 256 bits. */
  public static String hash(String secret) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
