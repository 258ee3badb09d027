package io.fdt.core.security;

import io.fdt.core.unit.AddressText;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;

/** A prefix of addresses: "192.0.2.0/24", "2001:db8::/32", or one address. Immutable. */
public final class AddressRange {
  private final byte[] address;
  private final int prefix;

  private AddressRange(byte[] address, int prefix) {
    this.address = address;
    this.prefix = prefix;
  }

  /**
   * Parses an address, or an address and a prefix length. Resolves no names.
   *
   * @throws IllegalArgumentException with one line that describes the mistake
   */
  public static AddressRange parse(String text) {
    int slash = text.indexOf('/');
    byte[] address = literal(slash < 0 ? text : text.substring(0, slash));
    if (address == null) {
      throw new IllegalArgumentException(
          "'" + text + "' is neither an address nor a range (ADDRESS/BITS)");
    }
    int bits = address.length * Byte.SIZE;
    int prefix = slash < 0 ? bits : number(text.substring(slash + 1));
    if (prefix < 0 || prefix > bits) {
      throw new IllegalArgumentException(
          "'" + text + "': after the slash goes a number from 0 to " + bits);
    }
    return new AddressRange(address, prefix);
  }

  /** The range of one address. */
  public static AddressRange of(InetAddress address) {
    return new AddressRange(address.getAddress(), address.getAddress().length * Byte.SIZE);
  }

  /**
   * The unit for counting connections: an IPv4 address, or the /64 of an IPv6 address, because one
   * machine owns all of that.
   */
  public static String siteOf(InetAddress address) {
    byte[] bytes = address.getAddress();
    if (bytes.length == 4) {
      return address.getHostAddress();
    }
    return new AddressRange(Arrays.copyOf(Arrays.copyOf(bytes, 8), bytes.length), 64).toString();
  }

  private static byte[] literal(String text) {
    boolean v6 = text.indexOf(':') >= 0;
    String pattern = v6 ? "[0-9A-Fa-f:.]+" : "[0-9]{1,3}(\\.[0-9]{1,3}){3}";
    if (!text.matches(pattern)) {
      return null; // getByName would resolve a name
    }
    try {
      return InetAddress.getByName(text).getAddress();
    } catch (UnknownHostException e) {
      return null;
    }
  }

  private static int number(String text) {
    return text.matches("[0-9]{1,3}") ? Integer.parseInt(text) : -1;
  }

  /** Parses several ranges. */
  public static List<AddressRange> parse(List<String> texts) {
    return texts.stream().map(AddressRange::parse).toList();
  }

  /** Whether an address is in one of these ranges, or there are none. */
  static boolean isGoodFrom(List<String> ranges, InetAddress address) {
    return ranges.isEmpty() || parse(ranges).stream().anyMatch(range -> range.contains(address));
  }

  public boolean contains(InetAddress other) {
    byte[] bytes = other.getAddress();
    if (bytes.length != address.length) {
      return false;
    }
    for (int bit = 0; bit < prefix; bit++) {
      int mask = 0x80 >> (bit % Byte.SIZE);
      if (((bytes[bit / Byte.SIZE] ^ address[bit / Byte.SIZE]) & mask) != 0) {
        return false;
      }
    }
    return true;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof AddressRange range
        && range.prefix == prefix
        && Arrays.equals(range.address, address);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(address) + prefix;
  }

  @Override
  public String toString() {
    try {
      String text = AddressText.of(InetAddress.getByAddress(address).getHostAddress());
      return prefix == address.length * Byte.SIZE ? text : text + "/" + prefix;
    } catch (UnknownHostException e) {
      throw new IllegalStateException("an address of " + address.length + " bytes", e);
    }
  }
}
