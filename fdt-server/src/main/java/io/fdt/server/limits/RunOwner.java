package io.fdt.server.limits;

import io.fdt.core.security.AddressRange;
import io.fdt.core.security.Grant;
import io.fdt.server.FdtServer;
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
public record RunOwner(String name, Instant created, String site, boolean isOperator) {
  public static RunOwner of(Grant grant, InetAddress address) {
    return new RunOwner(
        grant.label(),
        grant.created(),
        isStranger(grant) ? AddressRange.siteOf(address) : "",
        !grant.name().equals(grant.label()));
  }

  /** Whether it is that of clients without a token; a token of that name has a time of creation. */
  public static boolean isStranger(Grant grant) {
    return grant.name().equals(FdtServer.ANONYMOUS) && grant.created().equals(Instant.EPOCH);
  }

  /** Clients without a token are strangers to one another, also where they share an address. */
  public boolean isStranger() {
    return !site.isEmpty();
  }

  /** Whether this client may follow and end a session of that one. */
  public boolean maySee(RunOwner other) {
    return isOperator || equals(other);
  }

  // Written out: see DiskId.
  @Override
  public boolean equals(Object other) {
    return other instanceof RunOwner owner
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
