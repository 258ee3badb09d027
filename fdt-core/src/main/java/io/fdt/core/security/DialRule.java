package io.fdt.core.security;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.unit.AddressText;
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
 * The addresses that a process may connect to. Servers, relays and the service connect on behalf of
 * their users: without a rule these could probe networks that they do not reach themselves. An IPv6
 * address that a gateway translates to IPv4 counts as that IPv4 address. Where only the gateway
 * knows the translation, a rule must name the IPv6 address. Immutable.
 */
public final class DialRule {
  /** Where clouds serve credentials to machines, besides the link-local 169.254.169.254. */
  private static final Set<String> OF_CLOUDS =
      Set.of("fd00:ec2:0:0:0:0:0:254", "100.100.100.200", "192.0.0.192");

  /** All addresses: for a client, whose user chooses them. */
  public static final DialRule ANYWHERE =
      new DialRule(Optional.empty(), true, Setting.DIAL_TO, List.of(), address -> false);

  private final Optional<List<AddressRange>> ranges;
  private final boolean toOwnHost;

  private final Setting setting;

  /** The ranges within which addresses must be; empty for all addresses. */
  private final List<AddressRange> within;

  private final Predicate<InetAddress> ofInterface;

  private DialRule(
      Optional<List<AddressRange>> ranges,
      boolean toOwnHost,
      Setting setting,
      List<AddressRange> within,
      Predicate<InetAddress> ofInterface) {
    this.ranges = ranges;
    this.toOwnHost = toOwnHost;
    this.setting = setting;
    this.within = List.copyOf(within);
    this.ofInterface = ofInterface;
  }

  /** A copy whose messages name another setting than {@link Setting#DIAL_TO}. */
  public DialRule of(Setting other) {
    return new DialRule(ranges, toOwnHost, other, within, ofInterface);
  }

  /** A rule that allows only these addresses. */
  public static DialRule only(List<AddressRange> ranges) {
    return new DialRule(
        Optional.of(List.copyOf(ranges)),
        false,
        Setting.DIAL_TO,
        List.of(),
        DialRule::isOfInterface);
  }

  /**
   * All addresses but those of the own host, of the own link, and those where clouds serve
   * credentials. The own host is loopback and the addresses of its interfaces; the own link is
   * link-local, multicast and unspecified addresses.
   *
   * @param ownHost whether the own host is still allowed
   */
  public static DialRule usual(boolean ownHost) {
    return usual(ownHost, DialRule::isOfInterface);
  }

  /**
   * @param ofInterface recognises the addresses of the own interfaces
   */
  static DialRule usual(boolean ownHost, Predicate<InetAddress> ofInterface) {
    return new DialRule(Optional.empty(), ownHost, Setting.DIAL_TO, List.of(), ofInterface);
  }

  private static boolean isOfInterface(InetAddress address) {
    try {
      return NetworkInterface.getByInetAddress(address) != null;
    } catch (SocketException e) {
      return true; // unknown: assume the own host
    }
  }

  /**
   * The intersection with ranges.
   *
   * @param within empty for all addresses
   */
  public DialRule within(List<AddressRange> within) {
    return new DialRule(ranges, toOwnHost, setting, within, ofInterface);
  }

  /**
   * Resolves a host. Connecting to these very addresses prevents a name with changing answers from
   * bypassing the rule. Waits for the DNS.
   *
   * @throws UnknownHostException there is no such host
   * @throws FdtException FORBIDDEN when the rule excludes any of its addresses
   */
  public List<InetAddress> resolve(String host) throws UnknownHostException, FdtException {
    InetAddress[] addresses = InetAddress.getAllByName(host);
    for (InetAddress address : addresses) {
      check(address);
    }
    return List.of(addresses);
  }

  /**
   * Checks an address.
   *
   * @throws FdtException FORBIDDEN when the rule excludes it
   */
  public void check(InetAddress address) throws FdtException {
    if (!contains(within, meant(address))) {
      throw new FdtException(
          ErrorCode.FORBIDDEN,
          "the token does not allow connecting to "
              + AddressText.of(address.getHostAddress())
              + "; ask the administrator of the relay for one that does");
    }
    if (!allows(address)) {
      throw new FdtException(
          ErrorCode.FORBIDDEN,
          "connecting to %s%s is not allowed; ask the administrator to add that address to %s"
              .formatted(
                  AddressText.of(address.getHostAddress()),
                  isOwnHost(meant(address)) ? ", its own machine," : "",
                  setting));
    }
  }

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
   * Whether an IPv6 address contains an IPv4 address that only its gateway knows: in 64:ff9b:1::/48
   * (RFC 8215) the site decides its position; 2001::/32 (Teredo) has a client behind its router.
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
   * The IPv4 address that a gateway derives from an IPv6 address: 64:ff9b::/96, 2002::/16, and
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
