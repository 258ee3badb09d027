package io.fdt.service.web.routes;

import io.fdt.client.FdtClient;
import io.fdt.service.value.Fault;
import io.fdt.service.value.ServiceException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The address of a new endpoint: HOST[:PORT], or the URL that the command and {@code fdt serve}
 * print.
 *
 * @param fingerprint of the server's key, from a URL; empty for none
 */
record EndpointAddress(String host, int port, String fingerprint) {
  /** HOST or [IPV6], each with or without a port; as a URL with or without a fingerprint. */
  private static final Pattern SYNTAX =
      Pattern.compile(
          "(?<scheme>(?i:fdt)://)?(?:\\[(?<ipv6>[0-9A-Fa-f:.%]+)\\]|(?<host>[A-Za-z0-9._-]{1,253}))"
              + "(?::(?<port>[0-9]{1,5}))?(?<path>/[^?]*)?(?:\\?fingerprint=(?<key>.*))?");

  /**
   * Reads an address.
   *
   * @throws ServiceException INVALID for any other text
   */
  static EndpointAddress parse(String text) throws ServiceException {
    Matcher parts = SYNTAX.matcher(text);
    String path = parts.matches() && parts.group("path") != null ? parts.group("path") : "";
    boolean isUrl = parts.matches() && parts.group("scheme") != null;
    if (!parts.matches() || (!isUrl && (!path.isEmpty() || parts.group("key") != null))) {
      throw Fault.INVALID.of("'" + text + "' is no address: HOST[:PORT] or fdt://HOST[:PORT]");
    }
    if (!path.isEmpty() && !path.equals("/")) {
      throw Fault.INVALID.of(
          "'"
              + text
              + "' has a path: leave it out, and give it as the default path (--default-path)");
    }
    int port =
        parts.group("port") == null
            ? FdtClient.DEFAULT_PORT
            : Integer.parseInt(parts.group("port"));
    if (port < 1 || port > 65535) {
      throw Fault.INVALID.of("port " + port + " is not between 1 and 65535");
    }
    String host = parts.group("ipv6") != null ? parts.group("ipv6") : parts.group("host");
    return new EndpointAddress(host, port, parts.group("key") == null ? "" : parts.group("key"));
  }
}
