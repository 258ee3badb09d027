package io.fdt.server;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.DialRule;
import io.fdt.core.wire.control.OpenRoute;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** Finds the addresses of hosts that a relay connects to. */
@FunctionalInterface
interface RelayNames {
  /** Of a name in the DNS. */
  int LONGEST_HOST = 255;

  /** All of them, one or more. */
  InetAddress[] addresses(String host) throws UnknownHostException;

  /**
   * The first address of the host that the rule allows. May wait for the DNS.
   *
   * @throws FdtException FORBIDDEN: the rule allows none; UNREACHABLE; PROTOCOL
   */
  default InetSocketAddress target(OpenRoute request, DialRule rule) throws FdtException {
    String host = request.getHost();
    int port = request.getPort();
    if (host.isEmpty() || host.length() > LONGEST_HOST || port < 1 || port > 65535) {
      throw new FdtException(ErrorCode.PROTOCOL, "bad address for a relay: port " + port);
    }
    FdtException first = null;
    try {
      for (InetAddress address : addresses(host)) {
        try {
          rule.check(address);
          return new InetSocketAddress(address, port);
        } catch (FdtException e) {
          first = first == null ? e : first;
        }
      }
    } catch (UnknownHostException e) {
      throw new FdtException(
          ErrorCode.UNREACHABLE, "the relay does not know the host '" + host + "'", e);
    }
    throw first;
  }
}
