package io.fdt.core.security;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.model.Grant;
import io.fdt.core.unit.AddressText;
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
 * The clients that a running server accepts, and their rights; follows the files of its home.
 * {@link #reload} and {@link #close} belong to one thread at a time, the rest to any.
 */
public final class TokenBook implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TokenBook.class);

  private final TokenFile file;
  private final Optional<Grant> anonymous;
  private final SpareDescriptor spare = new SpareDescriptor();
  private volatile Map<String, Grant> grants = Map.of();
  private volatile List<String> flaws = List.of();

  /** The last content read, while the removal of tokens in it is not confirmed; null otherwise. */
  private Map<String, Grant> unconfirmed;

  /** Whether {@link #grants} may be out of date: the last attempt to read the files failed. */
  private volatile boolean unreadable;

  /**
   * The tokens of a home; changes take effect with {@link #reload}.
   *
   * @param anonymous the rights of clients without a token; empty for none
   */
  public TokenBook(TokenFile file, Optional<Grant> anonymous) throws FdtException {
    this.file = file;
    this.anonymous = anonymous;
    reload();
  }

  /** A single token, as long as the server runs. */
  public TokenBook(String token, Optional<Grant> anonymous) {
    this.file = null;
    this.anonymous = anonymous;
    this.grants = Map.of(Tokens.hash(token), Grant.unlimited("own:", Instant.EPOCH));
  }

  /** The directory of the files; empty for a single token. */
  public Optional<Path> directory() {
    return Optional.ofNullable(file).map(TokenFile::directory);
  }

  /**
   * Reads the files again. A missing file holds no token. Files that cannot be read, for want of
   * descriptors or because of their storage, revoke nothing: existing grants stay, and new clients
   * get BUSY. Files that others may change are ignored: they hold no token.
   *
   * <p>A new token takes effect at once. A removed or changed token takes effect when two calls
   * agree: an editor may have written half of the file.
   *
   * @return false when the next call has to confirm a change
   * @throws FdtException the files could not be read, or are ignored
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

  /** Reads the files, one open at a time. */
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
   * @param token as presented; empty for none
   * @throws FdtException UNAUTHENTICATED, or FORBIDDEN from this address; BUSY while the valid
   *     tokens are unknown
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
              ? "the server requires a token: use "
                  + Setting.LOGIN
                  + ", "
                  + Setting.TOKEN
                  + "; ask its administrator for one"
              : "the server does not accept this token (any more): ask its administrator for"
                  + " another one");
    }
    checkNotExpired(grant);
    if (!AddressRange.isGoodFrom(grant.addresses(), address)) {
      throw new FdtException(
          ErrorCode.FORBIDDEN,
          "the token '%s' is not valid from the address %s: ask the server's administrator"
              .formatted(grant.name(), AddressText.of(address.getHostAddress())));
    }
    return grant;
  }

  /**
   * The rights of a token that was presented earlier.
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
   * Checks that a grant is still valid, as far as is known.
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

  /** Releases the spare descriptor; the files can still be read. Idempotent. */
  @Override
  public void close() {
    spare.release();
  }
}
