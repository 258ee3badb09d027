package io.fdt.service.run;

import io.fdt.core.security.AddressRange;
import io.fdt.service.value.Fault;
import io.fdt.service.value.ServiceException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/**
 * The addresses to which the service connects for its users: without a rule they could have it
 * probe a network that they do not reach themselves. Immutable.
 */
public final class AddressRule {
  private final List<AddressRange> ranges;

  private AddressRule(List<AddressRange> ranges) {
    this.ranges = ranges;
  }

  /**
   * These ranges only; without any, all addresses but link-local, multicast and unspecified ones.
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
   * @throws ServiceException ADDRESS when the rule forbids any of its addresses; ENDPOINT when
   *     there is no such host
   */
  public InetAddress resolve(String host) throws ServiceException {
    InetAddress[] addresses;
    try {
      addresses = InetAddress.getAllByName(host);
    } catch (UnknownHostException e) {
      throw new ServiceException(Fault.ENDPOINT, "unknown host '" + host + "'");
    }
    for (InetAddress address : addresses) {
      if (!allows(address)) {
        throw new ServiceException(
            Fault.ADDRESS,
            "the service does not connect to %s; its administrator allows addresses with --dial-to"
                .formatted(address.getHostAddress()));
      }
    }
    return addresses[0];
  }

  private boolean allows(InetAddress address) {
    if (!ranges.isEmpty()) {
      return ranges.stream().anyMatch(range -> range.contains(address));
    }
    return !address.isLinkLocalAddress()
        && !address.isMulticastAddress()
        && !address.isAnyLocalAddress();
  }
}
