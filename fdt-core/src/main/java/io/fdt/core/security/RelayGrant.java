package io.fdt.core.security;

import java.util.List;

/**
 * What one token allows at a relay. Immutable.
 *
 * @param allowed whether it may use the relay at all
 * @param to to which addresses, of those that the relay allows; empty for all of them
 * @param bytesPerSecond how fast all its connections and deliveries are together, in both
 *     directions; 0 for as fast as the relay
 * @param spoolBytes how much it may leave with the relay; 0 for as much as there is room for
 */
public record RelayGrant(
    boolean allowed, List<AddressRange> to, long bytesPerSecond, long spoolBytes) {
  /** All that the relay allows. */
  public static final RelayGrant UNLIMITED = new RelayGrant(true, List.of(), 0, 0);

  /** Nothing. */
  public static final RelayGrant NONE = new RelayGrant(false, List.of(), 0, 0);

  /**
   * @throws IllegalArgumentException a limit is negative
   */
  public RelayGrant {
    to = List.copyOf(to);
    if (bytesPerSecond < 0 || spoolBytes < 0) {
      throw new IllegalArgumentException("a limit of a relay is negative");
    }
  }

  // Written out: see DiskId.
  @Override
  public boolean equals(Object other) {
    return other instanceof RelayGrant grant
        && grant.allowed == allowed
        && grant.to.equals(to)
        && grant.bytesPerSecond == bytesPerSecond
        && grant.spoolBytes == spoolBytes;
  }

  @Override
  public int hashCode() {
    return to.hashCode();
  }
}
