package io.fdt.core.security;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The addresses to which a process connects. A server, a relay and the service connect where their
 * users tell them to: without a rule those could have them probe a network that they do not reach
 * themselves. An IPv6 address that a gateway turns into an IPv4 one counts as that one. Where only
 * the gateway knows that IPv4 address, a rule has to name the IPv6 one. Immutable.
 */
public final class DialRule {
  private static final String DIAL_TO = "--dial-to";

  /** Where clouds tell machines their secrets, beside the link-local 169.254.169.254. */
  private static final Set<String> OF_CLOUDS =
      Set.of("fd00:ec2:0:0:0:0:0:254", "100.100.100.200", "192.0.0.192");

  /** Everywhere: for a client, whose user says where. */
  public static final DialRule ANYWHERE =
      new DialRule(Optional.empty(), true, DIAL_TO, List.of(), address -> false);

  private final Optional<List<AddressRange>> ranges;
  private final boolean toOwnHost;

  private final String option;

  /** Empty for everywhere. */
  private final List<AddressRange> within;

  private final Predicate<InetAddress> ofInterface;

  private DialRule(
      Optional<List<AddressRange>> ranges,
      boolean toOwnHost,
      String option,
      List<AddressRange> within,
      Predicate<InetAddress> ofInterface) {
    this.ranges = ranges;
    this.toOwnHost = toOwnHost;
    this.option = option;
    this.within = List.copyOf(within);
    this.ofInterface = ofInterface;
  }

  /** The same, which another option than {@code --dial-to} changes. */
  public DialRule of(String otherOption) {
    return new DialRule(ranges, toOwnHost, otherOption, within, ofInterface);
  }

  /** These addresses, and no others. */
  public static DialRule only(List<AddressRange> ranges) {
    return new DialRule(
        Optional.of(List.copyOf(ranges)), false, DIAL_TO, List.of(), DialRule::isOfInterface);
  }

  /**
   * All addresses but those that mean the own host or the own link, and those at which clouds tell
   * machines their secrets. The own host are loopback addresses and those of its interfaces; the
   * own link are link-local, multicast and unspecified ones.
   *
   * @param ownHost whether addresses of the own host are allowed all the same
   */
  public static DialRule usual(boolean ownHost) {
    return usual(ownHost, DialRule::isOfInterface);
  }

  /** The same, with other interfaces. */
  static DialRule usual(boolean ownHost, Predicate<InetAddress> ofInterface) {
    return new DialRule(Optional.empty(), ownHost, DIAL_TO, List.of(), ofInterface);
  }

  private static boolean isOfInterface(InetAddress address) {
    try {
      return NetworkInterface.getByInetAddress(address) != null;
    } catch (SocketException e) {
      return true; // the system does not say: better not
    }
  }

  /**
   * Those of its addresses that are within ranges, too.
   *
   * @param within empty for everywhere
   */
  public DialRule within(List<AddressRange> within) {
    return new DialRule(ranges, toOwnHost, option, within, ofInterface);
  }

  /**
   * The first address of a host. Connecting to this very address keeps a name whose answer changes
   * from getting past the rule. Waits for the DNS.
   *
   * @throws UnknownHostException there is no such host
   * @throws FdtException FORBIDDEN when the rule excludes any of its addresses
   */
  public InetAddress resolve(String host) throws UnknownHostException, FdtException {
    InetAddress[] addresses = InetAddress.getAllByName(host);
    for (InetAddress address : addresses) {
      check(address);
    }
    return addresses[0];
  }

  /**
   * Checks an address.
   *
   * @throws FdtException FORBIDDEN when nothing may connect to it
   */
  public void check(InetAddress address) throws FdtException {
    if (!contains(within, meant(address))) {
      throw new FdtException(
          ErrorCode.FORBIDDEN,
          "the token does not allow connecting to "
              + address.getHostAddress()
              + "; ask the administrator of the relay for one with that address in --relay-to");
    }
    if (!allows(address)) {
      throw new FdtException(
          ErrorCode.FORBIDDEN,
          "connecting to %s%s is not allowed; ask the administrator to add that address to %s"
              .formatted(
                  address.getHostAddress(),
                  isOwnHost(meant(address)) ? ", its own machine," : "",
                  option));
    }
  }

  /** Whether it may be connected to. */
  public boolean allows(InetAddress address) {
    if (this == ANYWHERE) {
      return true;
    }
    InetAddress meant = meant(address);
    return contains(within, meant)
        && ranges.map(list -> isIn(list, meant)).orElseGet(() -> isUsual(meant));
  }

  private static boolean contains(List<AddressRange> within, InetAddress address) {
    return within.isEmpty() || isIn(within, address);
  }

  private static boolean isIn(List<AddressRange> list, InetAddress address) {
    return list.stream().anyMatch(range -> range.contains(address));
  }

  private boolean isUsual(InetAddress address) {
    return !address.isLinkLocalAddress()
        && !address.isMulticastAddress()
        && !address.isAnyLocalAddress()
        && !isHidden(address)
        && !OF_CLOUDS.contains(address.getHostAddress())
        && (toOwnHost || !isOwnHost(address));
  }

  private boolean isOwnHost(InetAddress address) {
    return address.isLoopbackAddress() || ofInterface.test(address);
  }

  /**
   * Whether the IPv6 address stands for an IPv4 one that only its gateway knows: of 64:ff9b:1::/48
   * (RFC 8215) the site decides where the IPv4 address stands; with 2001::/32 (Teredo) the address
   * is that of a client behind its router.
   */
  private static boolean isHidden(InetAddress address) {
    byte[] bytes = address.getAddress();
    if (bytes.length != 16) {
      return false;
    }
    long prefix = ByteBuffer.wrap(bytes).getLong();
    return prefix >>> 16 == 0x64_ff9b_0001L || prefix >>> 32 == 0x2001_0000L;
  }

  /**
   * The IPv4 address that a gateway would make of an IPv6 one: 64:ff9b::/96, 2002::/16, and
   * ::a.b.c.d.
   */
  private static InetAddress meant(InetAddress address) {
    byte[] bytes = address.getAddress();
    if (bytes.length != 16 || address.isLoopbackAddress() || address.isAnyLocalAddress()) {
      return address;
    }
    ByteBuffer all = ByteBuffer.wrap(bytes);
    boolean isCompatible = all.getLong(0) == 0 && all.getInt(8) == 0;
    boolean isTranslated = all.getLong(0) == 0x64_ff9b_0000_0000L && all.getInt(8) == 0;
    boolean isTunnel = all.getShort(0) == 0x2002;
    if (!isCompatible && !isTranslated && !isTunnel) {
      return address;
    }
    int from = isTunnel ? 2 : 12;
    try {
      return InetAddress.getByAddress(Arrays.copyOfRange(bytes, from, from + 4));
    } catch (UnknownHostException e) {
      throw new IllegalStateException("four bytes are an address", e);
    }
  }
}
