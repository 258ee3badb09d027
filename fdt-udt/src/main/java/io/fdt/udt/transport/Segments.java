package io.fdt.udt.transport;

import io.fdt.udt.protocol.UdtSettings;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.List;
import java.util.stream.Stream;

/** Possible packet lengths. Stateless. */
final class Segments {
  /** IPv6 headers are 20 bytes longer than those that UDT assumes. */
  private static final int LONGER_HEADER = 20;

  private Segments() {}

  /**
   * Segment sizes to try from a local address, the longest first; never empty.
   *
   * @param most upper bound
   */
  static List<Integer> toTry(int most, InetAddress local) {
    return toTry(most, mtu(local), local instanceof Inet6Address);
  }

  static List<Integer> toTry(int most, int mtu, boolean isIpv6) {
    int header = isIpv6 ? LONGER_HEADER : 0;
    return Stream.of(mtu, UdtSettings.DEFAULT_SEGMENT, UdtSettings.SAFE_SEGMENT)
        .map(bytes -> Math.min(most, Math.min(mtu, bytes)) - header)
        .distinct()
        .toList();
  }

  /** The MTU of the interface with this address; Ethernet's when unknown. */
  private static int mtu(InetAddress local) {
    try {
      NetworkInterface device = NetworkInterface.getByInetAddress(local);
      int mtu = device == null ? 0 : device.getMTU();
      return mtu < UdtSettings.SAFE_SEGMENT ? UdtSettings.DEFAULT_SEGMENT : mtu;
    } catch (IOException e) {
      return UdtSettings.DEFAULT_SEGMENT;
    }
  }
}
