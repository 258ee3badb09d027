package io.fdt.core.security;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.net.InetAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which clients a running server takes, and with which rights; follows the files of its home while
 * it runs. Any thread.
 */
public final class TokenBook {
  private static final Logger LOG = LoggerFactory.getLogger(TokenBook.class);

  private final TokenFile file;
  private final Optional<Grant> anonymous;
  private volatile Map<String, Grant> grants;
  private volatile List<String> flaws = List.of();

  /**
   * The tokens of a home, where changes count as soon as {@link #reload} has seen them.
   *
   * @param anonymous what clients without a token may do; empty for nothing
   */
  public TokenBook(TokenFile file, Optional<Grant> anonymous) throws FdtException {
    this.file = file;
    this.anonymous = anonymous;
    reload();
  }

  /** One token, for as long as the server runs. */
  public TokenBook(String token, Optional<Grant> anonymous) {
    this.file = null;
    this.anonymous = anonymous;
    this.grants = Map.of(Tokens.hash(token), Grant.unlimited("own:", Instant.EPOCH));
  }

  /** Reads the files again. What cannot be read lets nobody in. */
  public void reload() throws FdtException {
    if (file == null) {
      return;
    }
    List<String> found = new ArrayList<>();
    try {
      grants = file.grants(found);
    } catch (FdtException e) {
      grants = Map.of();
      throw e;
    }
    if (!found.equals(flaws)) {
      flaws = found;
      found.forEach(LOG::warn);
    }
  }

  /**
   * The rights of a client.
   *
   * @param token what it has shown; empty when it has shown none
   * @throws FdtException UNAUTHENTICATED, or FORBIDDEN from this address
   */
  public Grant admit(String token, InetAddress address) throws FdtException {
    Grant grant = token.isEmpty() ? anonymous.orElse(null) : grants.get(Tokens.hash(token));
    if (grant == null) {
      throw new FdtException(
          ErrorCode.UNAUTHENTICATED,
          token.isEmpty()
              ? "the server wants a token: give it with --token-file FILE or in FDT_TOKEN; who runs"
                  + " the server has it"
              : "the server does not know this token (any more): ask who runs it for another one");
    }
    checkNotExpired(grant);
    if (!grant.isGoodFrom(address)) {
      throw new FdtException(
          ErrorCode.FORBIDDEN,
          "the token '%s' is not good from the address %s: ask who runs the server for another one"
              .formatted(grant.name(), address.getHostAddress()));
    }
    return grant;
  }

  /**
   * Checks that what was granted still is.
   *
   * @throws FdtException UNAUTHENTICATED when it was revoked, changed or has expired
   */
  public void check(Grant granted) throws FdtException {
    boolean isStillThere =
        grants.containsValue(granted) || anonymous.filter(granted::equals).isPresent();
    if (!isStillThere) {
      throw new FdtException(
          ErrorCode.UNAUTHENTICATED,
          "the token '%s' was revoked: ask who runs the server for another one"
              .formatted(granted.name()));
    }
    checkNotExpired(granted);
  }

  private static void checkNotExpired(Grant grant) throws FdtException {
    if (grant.hasExpired(Instant.now())) {
      throw new FdtException(
          ErrorCode.UNAUTHENTICATED,
          "the token '%s' has expired on %s: ask who runs the server for another one"
              .formatted(grant.name(), grant.expires().orElseThrow()));
    }
  }
}
