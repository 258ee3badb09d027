package io.fdt.cli.option.route;

import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.core.model.Ipv6Zone;

/**
 * The address of a server.
 *
 * @param host name or address, IPv6 without brackets
 * @param port 1 to 65535
 */
public record ServerAddress(String host, int port) {
  /** Whether host names and ports are equal. */
  public boolean isSameAs(ServerAddress other) {
    return port == other.port && host.equalsIgnoreCase(other.host);
  }

  /** Reads HOST, HOST:PORT, an IPv6 address, or [IPv6]:PORT. */
  public static ServerAddress parse(String text, int defaultPort) throws UsageException {
    if (text.startsWith("[")) {
      int bracket = text.indexOf(']');
      if (bracket < 0) {
        throw new UsageException("'" + text + "': the ']' is missing after the IPv6 address");
      }
      String rest = text.substring(bracket + 1);
      if (!rest.isEmpty() && !rest.startsWith(":")) {
        throw new UsageException("'" + text + "': after ']' only :PORT may follow");
      }
      return of(text, text.substring(1, bracket), rest, defaultPort);
    }
    int colon = text.indexOf(':');
    boolean bareAddress = colon >= 0 && text.indexOf(':', colon + 1) >= 0;
    if (colon < 0 || bareAddress) {
      return of(text, text, "", defaultPort);
    }
    return of(text, text.substring(0, colon), text.substring(colon), defaultPort);
  }

  private static ServerAddress of(String text, String host, String colonPort, int defaultPort)
      throws UsageException {
    if (host.isEmpty()) {
      throw new UsageException("'" + text + "': the host name is missing");
    }
    if (host.indexOf('@') >= 0) {
      throw new UsageException("'" + text + "': user names are not supported; write only the host");
    }
    boolean valid =
        host.charAt(0) != '-'
            && host.chars().allMatch(c -> Character.isLetterOrDigit(c) || ".-_:%".indexOf(c) >= 0);
    if (!valid) {
      throw new UsageException("'" + text + "': '" + host + "' is not a host name or address");
    }
    int port =
        colonPort.isEmpty()
            ? defaultPort
            : OptionValue.count("the port of '" + text + "'", colonPort.substring(1), 1, 65535);
    return new ServerAddress(Ipv6Zone.plain(host), port);
  }

  /** HOST:PORT, for display. */
  @Override
  public String toString() {
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
  }
}
