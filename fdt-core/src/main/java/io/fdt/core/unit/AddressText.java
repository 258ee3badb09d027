package io.fdt.core.unit;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * IP addresses as people write them (RFC 5952): "192.0.2.1", "2001:db8::1", "fe80::1%eth0". Pure.
 */
public final class AddressText {
  private static final Pattern ZEROS = Pattern.compile("(?:^|:)0((?::0)+)(?::|(?=%|$))");

  private AddressText() {}

  /**
   * Leaves out the longest run of zero groups.
   *
   * @param text of {@code InetAddress.getHostAddress}
   */
  public static String of(String text) {
    Matcher run = ZEROS.matcher(text);
    int start = 0;
    int end = 0;
    int longest = 0;
    while (run.find()) {
      if (run.group(1).length() > longest) {
        start = run.start();
        end = run.end();
        longest = run.group(1).length();
      }
    }
    return longest == 0 ? text : text.substring(0, start) + "::" + text.substring(end);
  }
}
