package io.fdt.server.limits;

import io.fdt.core.model.Grant;
import io.fdt.core.security.AddressRange;
import java.net.InetAddress;
import java.time.Instant;

/**
 * The owner of a session between two servers: a token, or the address of a client without one.
 * Immutable.
 *
 * @param name of the token
 * @param created time of creation of the token: another one may get the same name later
 * @param site address of a client without a token; empty for a token, which is valid from any
 *     address
 * @param isOperator whether it is the server's own user, who may see all sessions
 */
public record Owner(String name, Instant created, String site, boolean isOperator) {
  private static final String ANONYMOUS = "anonymous";

  public static Owner of(Grant grant, InetAddress address) {
    return new Owner(
        grant.label(),
        grant.created(),
        isAnonymous(grant) ? AddressRange.siteOf(address) : "",
        !grant.name().equals(grant.label()));
  }

  /** The rights of clients without a token. */
  public static Grant anonymous(boolean readOnly) {
    Grant grant = Grant.unlimited(ANONYMOUS, Instant.EPOCH);
    return readOnly ? grant.forReading() : grant;
  }

  /** Whether a client has no token. A token of that name has a time of creation. */
  public static boolean isAnonymous(Grant grant) {
    return grant.name().equals(ANONYMOUS) && grant.created().equals(Instant.EPOCH);
  }

  /**
   * Whether the client has no token: such clients see no sessions of others, even from the same
   * address.
   */
  public boolean isStranger() {
    return !site.isEmpty();
  }

  /** Whether this client may follow and end a session of another one. */
  public boolean maySee(Owner other) {
    return isOperator || equals(other);
  }

  // Not generated: see DiskId.
  @Override
  public boolean equals(Object other) {
    return other instanceof Owner owner
        && owner.name.equals(name)
        && owner.created.equals(created)
        && owner.site.equals(site)
        && owner.isOperator == isOperator;
  }

  @Override
  public int hashCode() {
    return 31 * name.hashCode() + site.hashCode();
  }
}
