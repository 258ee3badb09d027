package io.fdt.server.relay;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.DialRule;
import io.fdt.core.wire.control.OpenRoute;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.stream.Stream;

/** Finds the addresses of hosts that a relay connects to. */
@FunctionalInterface
interface RelayNames {
  /** Longest name in the DNS. */
  int LONGEST_HOST = 255;

  /** All addresses of a host, one or more. */
  InetAddress[] addresses(String host) throws UnknownHostException;

  /** The most addresses tried; each needs a socket. */
  int MOST_TRIED = 8;

  /**
   * The addresses of a host that the rule allows, one to eight. May wait for DNS.
   *
   * @throws FdtException FORBIDDEN: the rule allows none; UNREACHABLE; PROTOCOL
   */
  default List<InetSocketAddress> targets(OpenRoute request, DialRule rule) throws FdtException {
    String host = request.getHost();
    int port = request.getPort();
    if (host.isEmpty() || host.length() > LONGEST_HOST || port < 1 || port > 65535) {
      throw new FdtException(ErrorCode.PROTOCOL, "bad address for a relay: port " + port);
    }
    InetAddress[] all;
    try {
      all = addresses(host);
    } catch (UnknownHostException e) {
      throw new FdtException(
          ErrorCode.UNREACHABLE, "the relay does not know the host '" + host + "'", e);
    }
    List<InetSocketAddress> allowed =
        Stream.of(all)
            .filter(rule::allows)
            .limit(MOST_TRIED)
            .map(address -> new InetSocketAddress(address, port))
            .toList();
    if (allowed.isEmpty()) {
      rule.check(all[0]);
    }
    return allowed;
  }
}
