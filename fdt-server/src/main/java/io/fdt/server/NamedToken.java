package io.fdt.server;

import io.fdt.core.model.FileName;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A token's name and rights, without its text. Immutable.
 *
 * @param name letters, digits and ._@- only
 * @param created when it was made
 * @param expires from when on it is good for nothing; empty for never
 * @param readOnly whether it changes nothing, also in exports that are writable
 * @param exports names of those that it reaches; empty for all
 * @param addresses addresses and ranges (192.0.2.0/24) from which it is good; empty for everywhere
 * @param thirdParty whether it may direct transfers between this server and others
 * @param dataNode whether a server that shows it may become a data node of this one
 * @param relaying what it allows at a relay
 */
public record NamedToken(
    String name,
    Instant created,
    Optional<Instant> expires,
    boolean readOnly,
    Set<FileName> exports,
    List<String> addresses,
    boolean thirdParty,
    boolean dataNode,
    Relaying relaying) {

  /**
   * The rights of a token at a relay.
   *
   * @param allowed whether it may use the relay at all
   * @param to addresses and ranges to which it may be relayed, of those that the relay allows;
   *     empty for all of them
   * @param bytesPerSecond how fast all its connections are together, and each of its deliveries; 0
   *     for as fast as the relay
   * @param spoolBytes how much it may leave with the relay; 0 for as much as there is room for
   */
  public record Relaying(boolean allowed, List<String> to, long bytesPerSecond, long spoolBytes) {
    /** All that the relay allows. */
    public static final Relaying UNLIMITED = new Relaying(true, List.of(), 0, 0);

    /** Nothing. */
    public static final Relaying NONE = new Relaying(false, List.of(), 0, 0);

    public Relaying {
      to = List.copyOf(to);
    }
  }

  /** One that may be relayed when it allows transfers between servers. */
  public NamedToken(
      String name,
      Instant created,
      Optional<Instant> expires,
      boolean readOnly,
      Set<FileName> exports,
      List<String> addresses,
      boolean thirdParty,
      boolean dataNode) {
    this(
        name,
        created,
        expires,
        readOnly,
        exports,
        addresses,
        thirdParty,
        dataNode,
        thirdParty ? Relaying.UNLIMITED : Relaying.NONE);
  }

  /** One that makes no data node, either. */
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

  /** One by which a server joins this one as a data node. */
  public static NamedToken dataNode(String name) {
    return new NamedToken(
        name, Instant.now(), Optional.empty(), false, Set.of(), List.of(), true, true);
  }

  public NamedToken {
    exports = Set.copyOf(exports);
    addresses = List.copyOf(addresses);
  }
}
