package io.fdt.core.security;

import io.fdt.core.model.FileName;
import java.net.InetAddress;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What one token allows. Immutable.
 *
 * @param name for people and logs
 * @param created when it was made
 * @param expires from when on it is good for nothing; empty for never
 * @param readOnly whether it changes nothing, also in exports that are writable
 * @param exports those that it reaches; empty for all
 * @param addresses from where it is good; empty for everywhere
 * @param thirdParty whether it may direct transfers between this server and others
 * @param dataNode whether a server that shows it may become a data node, which sees the data of all
 *     sessions
 * @param relay what it allows at a relay
 */
public record Grant(
    String name,
    Instant created,
    Optional<Instant> expires,
    boolean readOnly,
    Set<FileName> exports,
    List<AddressRange> addresses,
    boolean thirdParty,
    boolean dataNode,
    RelayGrant relay) {

  public Grant {
    exports = Set.copyOf(exports);
    addresses = List.copyOf(addresses);
  }

  /** One without any limit; but it makes no data node. */
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

  /**
   * The name, or "own" for whichever token the user of the server has. No name that a user gives
   * has a colon.
   */
  public String label() {
    int colon = name.indexOf(':');
    return colon < 0 ? name : name.substring(0, colon);
  }

  /** The same, for reading only. */
  public Grant forReading() {
    return new Grant(name, created, expires, true, exports, addresses, thirdParty, dataNode, relay);
  }

  // Written out: see DiskId.
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

  public boolean isGoodFrom(InetAddress address) {
    return addresses.isEmpty() || addresses.stream().anyMatch(range -> range.contains(address));
  }
}
