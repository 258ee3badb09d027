package io.fdt.core.model;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The rights of one token. Immutable.
 *
 * @param name letters, digits and ._@- only, for people and logs
 * @param created the time of creation
 * @param expires the end of its validity; empty for never
 * @param readOnly whether it may not change anything, also in writable exports
 * @param exports the exports that it may use; empty for all
 * @param addresses addresses and ranges (192.0.2.0/24) from which it is valid; empty for all
 * @param thirdParty whether it may direct transfers between this server and others
 * @param dataNode whether a server with it may become a data node, which sees the data of all
 *     sessions
 * @param relay its rights at a relay
 */
public record Grant(
    String name,
    Instant created,
    Optional<Instant> expires,
    boolean readOnly,
    Set<FileName> exports,
    List<String> addresses,
    boolean thirdParty,
    boolean dataNode,
    RelayGrant relay) {

  public Grant {
    exports = Set.copyOf(exports);
    addresses = List.copyOf(addresses);
  }

  /** A grant without limits, except that it is not for a data node. */
  public static Grant unlimited(String name, Instant created) {
    return new Grant(
        name,
        created,
        Optional.empty(),
        false,
        Set.of(),
        List.of(),
        true,
        false,
        RelayGrant.UNLIMITED);
  }

  /** The grant of a server that joins another one as a data node. */
  public static Grant dataNode(String name, Instant created) {
    return new Grant(
        name,
        created,
        Optional.empty(),
        false,
        Set.of(),
        List.of(),
        true,
        true,
        RelayGrant.UNLIMITED);
  }

  /** The name, or "own" for any token of the server's own user. No user-chosen name has a colon. */
  public String label() {
    int colon = name.indexOf(':');
    return colon < 0 ? name : name.substring(0, colon);
  }

  /** A read-only copy. */
  public Grant forReading() {
    return new Grant(name, created, expires, true, exports, addresses, thirdParty, dataNode, relay);
  }

  // Not generated: see DiskId.
  @Override
  public boolean equals(Object other) {
    return other instanceof Grant grant
        && grant.name.equals(name)
        && grant.created.equals(created)
        && grant.expires.equals(expires)
        && grant.readOnly == readOnly
        && grant.exports.equals(exports)
        && grant.addresses.equals(addresses)
        && grant.thirdParty == thirdParty
        && grant.dataNode == dataNode
        && grant.relay.equals(relay);
  }

  @Override
  public int hashCode() {
    return name.hashCode();
  }

  public boolean hasExpired(Instant now) {
    return expires.isPresent() && !now.isBefore(expires.get());
  }
}
