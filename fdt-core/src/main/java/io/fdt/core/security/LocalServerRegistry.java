package io.fdt.core.security;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The servers of this process, by fingerprint, with the token that each of them made for it.
 *
 * <p>The only state here that is shared by the whole process: a program that embeds a server and a
 * client need not pass a key from one to the other. Any thread.
 */
public final class LocalServerRegistry {
  private static final Map<Fingerprint, String> TOKENS = new ConcurrentHashMap<>();

  private LocalServerRegistry() {}

  /**
   * Adds a started server.
   *
   * @param token accepted from this process; empty for none
   */
  public static void add(Fingerprint fingerprint, String token) {
    TOKENS.put(fingerprint, token);
  }

  public static void remove(Fingerprint fingerprint) {
    TOKENS.remove(fingerprint);
  }

  /** The token of a server in this process; empty for an unknown server. */
  public static Optional<String> tokenOf(Fingerprint fingerprint) {
    return Optional.ofNullable(TOKENS.get(fingerprint));
  }
}
