package io.fdt.service.run;

import io.fdt.core.security.AddressRange;
import io.fdt.service.value.Fault;
import io.fdt.service.value.ServiceException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * The addresses to which the service connects for its users: without a rule they could have it
 * probe a network that they do not reach themselves. Immutable.
 */
public final class AddressRule {
  /** Where clouds tell machines their secrets, beside the link-local 169.254.169.254. */
  private static final Set<String> OF_CLOUDS =
      Set.of("fd00:ec2:0:0:0:0:0:254", "100.100.100.200", "192.0.0.192");

  private final List<AddressRange> ranges;

  private AddressRule(List<AddressRange> ranges) {
    this.ranges = ranges;
  }

  /**
   * These ranges only; without any, all addresses but link-local, multicast and unspecified ones,
   * and those at which clouds tell machines their secrets.
   *
   * @throws IllegalArgumentException with one line that says what is wrong
   */
  public static AddressRule of(List<String> ranges) {
    return new AddressRule(ranges.stream().map(AddressRange::parse).toList());
  }

  /**
   * The first address of a host. The connection goes to this very address, so that a name whose
   * answer changes does not get past the rule.
   *
   * @param isOperator whether it is for the user who has started the service: for others, programs
   *     of this machine are out of reach unless a range names it
   * @throws ServiceException ADDRESS when the rule forbids any of its addresses; ENDPOINT when
   *     there is no such host
   */
  public InetAddress resolve(String host, boolean isOperator) throws ServiceException {
    InetAddress[] addresses;
    try {
      addresses = InetAddress.getAllByName(host);
    } catch (UnknownHostException e) {
      throw new ServiceException(Fault.ENDPOINT, "unknown host '" + host + "'");
    }
    for (InetAddress address : addresses) {
      if (!allows(address, isOperator)) {
        throw new ServiceException(
            Fault.ADDRESS,
            "the service does not connect to %s; its administrator allows addresses with --dial-to"
                .formatted(address.getHostAddress()));
      }
    }
    return addresses[0];
  }

  private boolean allows(InetAddress address, boolean isOperator) {
    InetAddress meant = embedded(address);
    if (!ranges.isEmpty()) {
      return ranges.stream().anyMatch(range -> range.contains(meant));
    }
    return !meant.isLinkLocalAddress()
        && !meant.isMulticastAddress()
        && !meant.isAnyLocalAddress()
        && !OF_CLOUDS.contains(meant.getHostAddress())
        && (isOperator || !meant.isLoopbackAddress());
  }

  /** The IPv4 address that a gateway would make of an IPv6 one (64:ff9b::, 2002::, ::a.b.c.d). */
  private static InetAddress embedded(InetAddress address) {
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
