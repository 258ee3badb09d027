package io.fdt.core.node;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.AddressRange;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/**
 * The addresses to which a node connects. A server connects where clients tell it to: without a
 * rule they could have it probe a network that they do not reach themselves. Immutable.
 */
public final class DialRule {
  private static final String DIAL_TO = "--dial-to";

  /** Everywhere: for a client, whose user says where. */
  public static final DialRule ANYWHERE = new DialRule(Optional.empty(), true, DIAL_TO);

  private final Optional<List<AddressRange>> ranges;
  private final boolean toOwnHost;

  private final String option;

  private DialRule(Optional<List<AddressRange>> ranges, boolean toOwnHost, String option) {
    this.ranges = ranges;
    this.toOwnHost = toOwnHost;
    this.option = option;
  }

  /** The same, which another option than {@code --dial-to} changes. */
  public DialRule of(String otherOption) {
    return new DialRule(ranges, toOwnHost, otherOption);
  }

  /** These addresses, and no others. */
  public static DialRule only(List<AddressRange> ranges) {
    return new DialRule(Optional.of(List.copyOf(ranges)), false, DIAL_TO);
  }

  /**
   * All addresses but those that mean the own host or the own link: loopback, link-local, multicast
   * and unspecified ones.
   *
   * @param ownHost whether loopback addresses are allowed all the same
   */
  public static DialRule usual(boolean ownHost) {
    return new DialRule(Optional.empty(), ownHost, DIAL_TO);
  }

  /**
   * Checks an address.
   *
   * @throws FdtException FORBIDDEN when nothing may connect to it
   */
  public void check(InetAddress address) throws FdtException {
    if (!allows(address)) {
      throw new FdtException(
          ErrorCode.FORBIDDEN,
          "the server does not connect to "
              + address.getHostAddress()
              + "; ask its administrator to add that address to "
              + option);
    }
  }

  /** Whether it may be connected to. */
  boolean allows(InetAddress address) {
    return this == ANYWHERE
        || ranges
            .map(list -> list.stream().anyMatch(range -> range.contains(address)))
            .orElseGet(() -> isUsual(address));
  }

  private boolean isUsual(InetAddress address) {
    return (toOwnHost || !address.isLoopbackAddress())
        && !address.isLinkLocalAddress()
        && !address.isMulticastAddress()
        && !address.isAnyLocalAddress();
  }
}
