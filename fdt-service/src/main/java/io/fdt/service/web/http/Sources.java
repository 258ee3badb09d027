package io.fdt.service.web.http;

import io.fdt.core.security.AddressRange;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;

/** Finds the client's address behind proxies. Immutable. */
public final class Sources {
  /** A numeric address, never a name, which would be looked up. */
  private static final Pattern DIGITS =
      Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}|[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*");

  private final List<AddressRange> proxies;

  /**
   * Sources behind proxies.
   *
   * @param proxies whose X-Forwarded-For is trusted; empty for none
   */
  public Sources(List<AddressRange> proxies) {
    this.proxies = List.copyOf(proxies);
  }

  /**
   * The address of a client. Behind proxies the last one in X-Forwarded-For that is not a proxy's:
   * the client can forge those before it. Other clients can forge the whole header.
   *
   * @param remote the other end of the connection
   * @param forwarded the values of all headers X-Forwarded-For, separated by commas; empty if
   *     missing
   */
  String address(String remote, String forwarded) {
    String address = remote;
    String[] hops = forwarded.split(",", -1);
    for (int i = hops.length - 1; i >= 0 && isProxy(address); i--) {
      String hop = hops[i].strip();
      if (!DIGITS.matcher(hop).matches()) {
        break;
      }
      address = hop;
    }
    return address.equals(remote) ? remote : address + " by " + remote;
  }

  private boolean isProxy(String address) {
    if (proxies.isEmpty() || !DIGITS.matcher(address).matches()) {
      return false;
    }
    try {
      InetAddress one = InetAddress.getByName(address);
      return proxies.stream().anyMatch(range -> range.contains(one));
    } catch (UnknownHostException e) {
      return false;
    }
  }

  /**
   * The network of an address: an IPv4 address, or the first 64 bits of an IPv6 address.
   *
   * @param address as from {@link #address}
   */
  public static String network(String address) {
    String text = address.replaceFirst(" .*", "");
    if (!DIGITS.matcher(text).matches()) {
      return "unknown";
    }
    try {
      byte[] bytes = InetAddress.getByName(text).getAddress();
      return bytes.length == 4
          ? InetAddress.getByAddress(bytes).getHostAddress()
          : HexFormat.of().formatHex(bytes, 0, 8);
    } catch (UnknownHostException e) {
      return "unknown";
    }
  }
}
