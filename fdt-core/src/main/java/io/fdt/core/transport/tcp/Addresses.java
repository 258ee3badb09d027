package io.fdt.core.transport.tcp;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** Addresses and network failures in words for people. */
final class Addresses {
  private Addresses() {}

  /** "192.0.2.1:54321", "[2001:db8::1]:54321". */
  static String text(SocketAddress address) {
    if (!(address instanceof InetSocketAddress inet)) {
      return String.valueOf(address);
    }
    String host = inet.isUnresolved() ? inet.getHostString() : inet.getAddress().getHostAddress();
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + inet.getPort();
  }

  /** A failure of a connection that existed. */
  static FdtException failure(String peer, Throwable cause) {
    if (cause instanceof FdtException known) {
      return known;
    }
    if (cause instanceof IOException) {
      return new FdtException(
          ErrorCode.UNREACHABLE, "connection to " + peer + " broke: " + cause.getMessage(), cause);
    }
    return new FdtException(ErrorCode.INTERNAL, "connection to " + peer + ": " + cause, cause);
  }
}
