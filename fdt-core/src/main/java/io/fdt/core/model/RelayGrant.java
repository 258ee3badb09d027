package io.fdt.core.model;

import java.util.List;

/**
 * The rights of one token at a relay. Immutable.
 *
 * @param allowed whether it may use the relay at all
 * @param to addresses and ranges it may reach, of those that the relay allows; empty for all
 * @param bytesPerSecond limit for all its connections and deliveries together, in both directions;
 *     0 for the relay's own limit
 * @param spoolBytes limit in the relay's spool; 0 for the available space
 */
public record RelayGrant(boolean allowed, List<String> to, long bytesPerSecond, long spoolBytes) {
  /** Everything that the relay allows. */
  public static final RelayGrant UNLIMITED = new RelayGrant(true, List.of(), 0, 0);

  /** No rights. */
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

  // Not generated: see DiskId.
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
