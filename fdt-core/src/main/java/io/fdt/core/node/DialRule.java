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
  public static final DialRule ANYWHERE = new DialRule(Optional.empty(), true, DIAL_TO, List.of());

  private final Optional<List<AddressRange>> ranges;
  private final boolean toOwnHost;

  private final String option;

  /** Empty for everywhere. */
  private final List<AddressRange> within;

  private DialRule(
      Optional<List<AddressRange>> ranges,
      boolean toOwnHost,
      String option,
      List<AddressRange> within) {
    this.ranges = ranges;
    this.toOwnHost = toOwnHost;
    this.option = option;
    this.within = List.copyOf(within);
  }

  /** The same, which another option than {@code --dial-to} changes. */
  public DialRule of(String otherOption) {
    return new DialRule(ranges, toOwnHost, otherOption, within);
  }

  /** These addresses, and no others. */
  public static DialRule only(List<AddressRange> ranges) {
    return new DialRule(Optional.of(List.copyOf(ranges)), false, DIAL_TO, List.of());
  }

  /**
   * All addresses but those that mean the own host or the own link: loopback, link-local, multicast
   * and unspecified ones.
   *
   * @param ownHost whether loopback addresses are allowed all the same
   */
  public static DialRule usual(boolean ownHost) {
    return new DialRule(Optional.empty(), ownHost, DIAL_TO, List.of());
  }

  /**
   * Those of its addresses that are within ranges, too.
   *
   * @param within empty for everywhere
   */
  public DialRule within(List<AddressRange> within) {
    return new DialRule(ranges, toOwnHost, option, within);
  }

  /**
   * Checks an address.
   *
   * @throws FdtException FORBIDDEN when nothing may connect to it
   */
  public void check(InetAddress address) throws FdtException {
    if (!contains(within, address)) {
      throw new FdtException(
          ErrorCode.FORBIDDEN,
          "the token does not allow connecting to "
              + address.getHostAddress()
              + "; ask the administrator of the relay for one with that address in --relay-to");
    }
    if (!allows(address) && address.isLoopbackAddress() && ranges.isEmpty()) {
      throw new FdtException(
          ErrorCode.FORBIDDEN,
          "the server does not connect to %s, its own machine; have it serve that machine only (--bind 127.0.0.1), or ask its administrator to add that address to %s"
              .formatted(address.getHostAddress(), option));
    }
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
        || (contains(within, address)
            && ranges.map(list -> isIn(list, address)).orElseGet(() -> isUsual(address)));
  }

  private static boolean contains(List<AddressRange> within, InetAddress address) {
    return within.isEmpty() || isIn(within, address);
  }

  private static boolean isIn(List<AddressRange> list, InetAddress address) {
    return list.stream().anyMatch(range -> range.contains(address));
  }

  private boolean isUsual(InetAddress address) {
    return (toOwnHost || !address.isLoopbackAddress())
        && !address.isLinkLocalAddress()
        && !address.isMulticastAddress()
        && !address.isAnyLocalAddress();
  }
}
