package io.fdt.core.security;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The servers that run in this very process, by fingerprint, with the token that each of them made
 * for it.
 *
 * <p>The one thing here that all of a process share: a program that embeds a server and a client
 * need not carry a key from one to the other. Any thread.
 */
public final class LocalServerRegistry {
  private static final Map<Fingerprint, String> TOKENS = new ConcurrentHashMap<>();

  private LocalServerRegistry() {}

  /**
   * A server has started.
   *
   * @param token what lets its own process in; empty when it has none
   */
  public static void add(Fingerprint fingerprint, String token) {
    TOKENS.put(fingerprint, token);
  }

  public static void remove(Fingerprint fingerprint) {
    TOKENS.remove(fingerprint);
  }

  /** The token of a server in this process; empty when there is no such server. */
  public static Optional<String> tokenOf(Fingerprint fingerprint) {
    return Optional.ofNullable(TOKENS.get(fingerprint));
  }
}
