package io.fdt.core.security;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;

/**
 * The text of tokens and their hashes. Stateless.
 *
 * <p>A token is 256 random bits, too many to try, so that a plain SHA-256 reveals nothing: slow
 * hashes are for guessable passwords. For the same reason a hash may be looked up in a map: the
 * time of a lookup reveals the hash, not the token.
 */
public final class Tokens {
  private static final String PREFIX = "fdt_";
  private static final int RANDOM_BYTES = 32;

  private Tokens() {}

  public static String make() {
    byte[] random = new byte[RANDOM_BYTES];
    new SecureRandom().nextBytes(random);
    return PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(random);
  }

  /** The stored form of a token. */
  static String hash(String token) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
