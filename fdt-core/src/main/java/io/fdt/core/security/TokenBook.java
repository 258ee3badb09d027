package io.fdt.core.security;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which clients a running server takes, and with which rights; follows the files of its home while
 * it runs. {@link #reload} and {@link #close} belong to one thread at a time, the rest to any.
 */
public final class TokenBook implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TokenBook.class);

  private final TokenFile file;
  private final Optional<Grant> anonymous;
  private final SpareDescriptor spare = new SpareDescriptor();
  private volatile Map<String, Grant> grants = Map.of();
  private volatile List<String> flaws = List.of();

  /** What was read the last time, when it lacks something that counts; null otherwise. */
  private Map<String, Grant> unconfirmed;

  /** Whether {@link #grants} may be out of date: the files could not be read the last time. */
  private volatile boolean unreadable;

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

  /** Where the files are; empty for a single token. */
  public Optional<Path> directory() {
    return Optional.ofNullable(file).map(TokenFile::directory);
  }

  /**
   * Reads the files again. A file that is gone holds no token. Files that cannot be read, for want
   * of descriptors or because of their storage, revoke nothing: what was granted stays so, and new
   * clients are told to come later. Files that others may change are not believed: they hold no
   * token.
   *
   * <p>A new token counts at once. A token that is gone or has changed counts as such when two
   * calls have found the same: an editor may have written half of the file.
   *
   * @return false when something was found that the next call has to confirm
   * @throws FdtException they could not be read, or are not believed
   */
  public boolean reload() throws FdtException {
    if (file == null) {
      return true;
    }
    List<String> found = new ArrayList<>();
    Map<String, Grant> read;
    try {
      read = read(found);
      unreadable = false;
    } catch (FdtException e) {
      unreadable = e.code() != ErrorCode.FORBIDDEN;
      grants = unreadable ? grants : Map.of();
      unconfirmed = null;
      throw e;
    }
    boolean revokes = !read.entrySet().containsAll(grants.entrySet());
    if (revokes && !read.equals(unconfirmed)) {
      unconfirmed = read;
      Map<String, Grant> both = new HashMap<>(read);
      both.putAll(grants);
      grants = both;
      return false;
    }
    unconfirmed = null;
    grants = read;
    if (!found.equals(flaws)) {
      flaws = found;
      found.forEach(LOG::warn);
    }
    return true;
  }

  /** One file is open at a time while they are read. */
  private Map<String, Grant> read(List<String> found) throws FdtException {
    try {
      return file.grants(found);
    } catch (FdtException e) {
      if (e.code() == ErrorCode.FORBIDDEN || !spare.release()) {
        throw e;
      }
    }
    try {
      found.clear();
      return file.grants(found);
    } finally {
      spare.take();
    }
  }

  /**
   * The rights of a client.
   *
   * @param token what it has shown; empty when it has shown none
   * @throws FdtException UNAUTHENTICATED, or FORBIDDEN from this address; BUSY while it is not
   *     known which tokens are good
   */
  public Grant admit(String token, InetAddress address) throws FdtException {
    if (unreadable && !token.isEmpty()) {
      throw new FdtException(
          ErrorCode.BUSY, "the server cannot read its tokens at the moment: try again in a minute");
    }
    Grant grant = token.isEmpty() ? anonymous.orElse(null) : grants.get(Tokens.hash(token));
    if (grant == null) {
      throw new FdtException(
          ErrorCode.UNAUTHENTICATED,
          token.isEmpty()
              ? "the server requires a token: use --token-file FILE or FDT_TOKEN; ask its"
                  + " administrator for one"
              : "the server does not accept this token (any more): ask its administrator for"
                  + " another one");
    }
    checkNotExpired(grant);
    if (!grant.isGoodFrom(address)) {
      throw new FdtException(
          ErrorCode.FORBIDDEN,
          "the token '%s' is not valid from the address %s: ask the server's administrator"
              .formatted(grant.name(), address.getHostAddress()));
    }
    return grant;
  }

  /**
   * What a token allows that somebody has shown before.
   *
   * @throws FdtException UNAUTHENTICATED when it was revoked or has expired
   */
  public Grant find(String name, Instant created) throws FdtException {
    Optional<Grant> found =
        grants.values().stream()
            .filter(grant -> grant.name().equals(name))
            .filter(grant -> grant.created().getEpochSecond() == created.getEpochSecond())
            .findFirst();
    if (found.isEmpty()) {
      throw revoked(name);
    }
    checkNotExpired(found.get());
    return found.get();
  }

  private static FdtException revoked(String name) {
    return new FdtException(
        ErrorCode.UNAUTHENTICATED,
        "the token '%s' was revoked: ask the server's administrator for another one"
            .formatted(name));
  }

  /**
   * Checks that what was granted still is, as far as is known.
   *
   * @throws FdtException UNAUTHENTICATED when it was revoked, changed or has expired
   */
  public void check(Grant granted) throws FdtException {
    boolean isStillThere =
        grants.containsValue(granted) || anonymous.filter(granted::equals).isPresent();
    if (!isStillThere) {
      throw revoked(granted.name());
    }
    checkNotExpired(granted);
  }

  private static void checkNotExpired(Grant grant) throws FdtException {
    if (grant.hasExpired(Instant.now())) {
      throw new FdtException(
          ErrorCode.UNAUTHENTICATED,
          "the token '%s' expired on %s: ask the server's administrator for another one"
              .formatted(grant.name(), grant.expires().orElseThrow()));
    }
  }

  /** Gives back what it holds to read its files with; they can still be read. Idempotent. */
  @Override
  public void close() {
    spare.release();
  }
}
