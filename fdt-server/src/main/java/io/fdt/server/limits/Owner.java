package io.fdt.server.limits;

import io.fdt.core.model.Grant;
import io.fdt.core.security.AddressRange;
import java.net.InetAddress;
import java.time.Instant;

/**
 * Whose a session between two servers is: that of a token, or of an address for a client without
 * one. Immutable.
 *
 * @param name of the token
 * @param created when the token was made: another one may get the same name later
 * @param site where a client without a token comes from; empty for a token, which is good from
 *     anywhere
 * @param isOperator whether it is the user who runs the server, who may see all sessions
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

  /** Clients without a token are strangers to one another, also where they share an address. */
  public boolean isStranger() {
    return !site.isEmpty();
  }

  /** Whether this client may follow and end a session of that one. */
  public boolean maySee(Owner other) {
    return isOperator || equals(other);
  }

  // Written out: see DiskId.
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
