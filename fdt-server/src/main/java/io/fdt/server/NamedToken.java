package io.fdt.server;

import io.fdt.core.model.FileName;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What is known of a token, which is all but its text. Immutable.
 *
 * @param name letters, digits and ._@- only
 * @param created when it was made
 * @param expires from when on it is good for nothing; empty for never
 * @param readOnly whether it changes nothing, also in exports that are writable
 * @param exports names of those that it reaches; empty for all
 * @param addresses addresses and ranges (192.0.2.0/24) from which it is good; empty for everywhere
 * @param thirdParty whether it may direct transfers between this server and others
 * @param dataNode whether a server that shows it may become a data node of this one
 */
public record NamedToken(
    String name,
    Instant created,
    Optional<Instant> expires,
    boolean readOnly,
    Set<FileName> exports,
    List<String> addresses,
    boolean thirdParty,
    boolean dataNode) {

  /** One that makes no data node. */
  public NamedToken(
      String name,
      Instant created,
      Optional<Instant> expires,
      boolean readOnly,
      Set<FileName> exports,
      List<String> addresses,
      boolean thirdParty) {
    this(name, created, expires, readOnly, exports, addresses, thirdParty, false);
  }

  public NamedToken {
    exports = Set.copyOf(exports);
    addresses = List.copyOf(addresses);
  }
}
