package io.fdt.core.security;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;

/**
 * The text of tokens, and what is kept of them. Stateless.
 *
 * <p>A token is 256 random bits. Nobody can try them all, so their plain SHA-256 gives nothing
 * away: the slow hashes that passwords need protect what can be guessed. For the same reason a hash
 * may be looked up in a map: how long that takes tells of the hash, and not of the token.
 */
public final class Tokens {
  private static final String PREFIX = "fdt_";
  private static final int RANDOM_BYTES = 32;

  private Tokens() {}

  /** A new token. */
  public static String make() {
    byte[] random = new byte[RANDOM_BYTES];
    new SecureRandom().nextBytes(random);
    return PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(random);
  }

  /** What is kept of a token. */
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
