package io.fdt.service.web;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;
import java.util.regex.Pattern;

/** Where requests come from. Pure. */
final class Sources {
  /** An address in digits: never a name, which would be looked up. */
  private static final Pattern DIGITS =
      Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}|[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*");

  private Sources() {}

  /**
   * The address of a client. Behind a proxy the last one that it has written down: those before it
   * anybody can write. A proxy is on this machine or in its own network; from elsewhere, the header
   * is the client's own invention.
   *
   * @param remote the other end of the connection
   * @param forwarded the header X-Forwarded-For; empty without
   */
  static String address(String remote, String forwarded) {
    String last = forwarded.replaceFirst(".*,", "").strip();
    return isNear(remote) && DIGITS.matcher(last).matches() ? last + " by " + remote : remote;
  }

  private static boolean isNear(String remote) {
    if (!DIGITS.matcher(remote).matches()) {
      return false;
    }
    try {
      InetAddress address = InetAddress.getByName(remote);
      byte[] bytes = address.getAddress();
      boolean isUniqueLocal = bytes.length == 16 && (bytes[0] & 0xFE) == 0xFC;
      return address.isLoopbackAddress() || address.isSiteLocalAddress() || isUniqueLocal;
    } catch (UnknownHostException e) {
      return false;
    }
  }

  /**
   * What counts as one place: an IPv4 address, or the 64 bits of an IPv6 one that its holder cannot
   * choose.
   *
   * @param address as {@link #address} has it
   */
  static String network(String address) {
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
