package io.fdt.core.model;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The zone of an IPv6 address as URIs write it (RFC 6874). Stateless. */
public final class Ipv6Zone {
  /** "fe80::1%25eth0"; "fe80::1%251" is the interface with the number 251. */
  private static final Pattern ESCAPED = Pattern.compile("([0-9A-Fa-f:.]*:[^%]*%)25(.*[^0-9].*)");

  private Ipv6Zone() {}

  /** The host as the system reads it: "fe80::1%eth0" of "fe80::1%25eth0"; others unchanged. */
  public static String plain(String host) {
    Matcher escaped = ESCAPED.matcher(host);
    return escaped.matches() ? escaped.group(1) + escaped.group(2) : host;
  }
}
