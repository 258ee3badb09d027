package io.fdt.core.transport.tcp.socket;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.unit.AddressText;
import io.netty.channel.ChannelException;
import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;

/** Text for addresses and network failures. */
public final class Addresses {
  private static final Pattern ABOUT_CERTIFICATE =
      Pattern.compile("certificate|unknown_ca|internal_error", Pattern.CASE_INSENSITIVE);

  /** Netty adds the address: ": storage1/192.0.2.1:54321". */
  private static final Pattern AFTER_REASON = Pattern.compile(": [^ ]*/[^ ]*:\\d+$");

  /** "recvAddress(..) failed with error(-104): Connection reset by peer". */
  private static final Pattern SYSTEM_CALL =
      Pattern.compile("\\w+\\(\\.\\.\\) failed with error\\(-?\\d+\\): (.+)");

  /**
   * Advice for a connection that stalls after it was opened: small packets pass, large ones do not.
   */
  public static final String MTU = "; if so, check that large packets pass on the way (MTU)";

  public static final String MTU_OF_PATH = "; check that large packets pass on the way (MTU)";

  private Addresses() {}

  /** "192.0.2.1:54321", "[2001:db8::1]:54321". */
  public static String text(SocketAddress address) {
    if (!(address instanceof InetSocketAddress inet)) {
      return String.valueOf(address);
    }
    String host =
        inet.isUnresolved()
            ? inet.getHostString()
            : AddressText.of(inet.getAddress().getHostAddress());
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + inet.getPort();
  }

  /** A failure of an open connection. */
  public static FdtException failure(String peer, Throwable cause) {
    if (cause instanceof FdtException known) {
      return known;
    }
    if (cause instanceof DecoderException && cause.getCause() != null) {
      return failure(peer, cause.getCause());
    }
    if (isAboutCertificate(cause)) {
      return new FdtException(
          ErrorCode.UNAUTHENTICATED,
          peer + " requires a client certificate of its authority: use " + Setting.CERTIFICATE,
          cause);
    }
    if (cause instanceof ChannelException && cause.getCause() instanceof IOException) {
      return failure(peer, cause.getCause()); // a socket option of a closed channel
    }
    if (cause instanceof IOException) {
      return new FdtException(
          ErrorCode.UNREACHABLE, "connection to " + peer + " broke: " + reason(cause), cause);
    }
    return FdtException.unforeseen("connection to " + peer, cause);
  }

  /**
   * Recognises an alert about the client's certificate. In TLS 1.3 it arrives after the client has
   * finished its handshake; BoringSSL calls a certificate of another authority an internal error.
   */
  private static boolean isAboutCertificate(Throwable cause) {
    return cause instanceof SSLException
        && ABOUT_CERTIFICATE.matcher(String.valueOf(cause.getMessage())).find();
  }

  /** A failed handshake. */
  public static FdtException handshakeFailure(String peer, Throwable cause) {
    if (cause instanceof ClosedChannelException) {
      return new FdtException(
          ErrorCode.UNREACHABLE,
          peer + " closed the connection during the TLS handshake" + MTU_OF_PATH,
          cause);
    }
    if (cause instanceof SslHandshakeTimeoutException) {
      return new FdtException(
          ErrorCode.TIMEOUT,
          peer + " did not finish the TLS handshake in time" + MTU_OF_PATH,
          cause);
    }
    return new FdtException(
        ErrorCode.UNTRUSTED,
        "no TLS with " + peer + ": " + reason(cause) + "; check what listens there",
        cause);
  }

  /** Why connecting failed, and what to check. */
  public static String connectReason(Throwable cause) {
    if (cause instanceof NoRouteToHostException) {
      return "no route to that host; check the address and the network";
    }
    if (cause instanceof ConnectTimeoutException) {
      return "no answer; check the address and the firewalls between";
    }
    String message = String.valueOf(cause.getMessage());
    return message.contains("refused")
        ? "connection refused: is the server running there?"
        : inWords(AFTER_REASON.matcher(message).replaceFirst(""));
  }

  /** Why binding failed, and what to do. */
  public static String bindReason(Throwable cause) {
    String reason = inWords(String.valueOf(cause.getMessage()));
    return switch (reason) {
      case "address already in use" ->
          "another program listens there; stop it or choose another port";
      case "cannot assign requested address" -> "this machine does not have that address";
      case "permission denied" -> "permission denied; choose a port above 1023";
      default -> reason;
    };
  }

  /** The innermost message; outer ones only say "handshake failed". */
  private static String reason(Throwable cause) {
    Throwable innermost = cause;
    while (innermost.getCause() != null) {
      innermost = innermost.getCause();
    }
    return innermost.getMessage() == null ? "it is closed" : inWords(innermost.getMessage());
  }

  /**
   * The operating system's text in Netty's message about a system call: "connection reset by peer".
   */
  private static String inWords(String message) {
    Matcher call = SYSTEM_CALL.matcher(message);
    return call.matches()
        ? call.group(1).substring(0, 1).toLowerCase(Locale.ROOT) + call.group(1).substring(1)
        : message;
  }

  /** The failure to open a connection. */
  public static FdtException connectFailure(InetSocketAddress peer, Throwable cause) {
    return new FdtException(
        ErrorCode.UNREACHABLE,
        "cannot connect to " + text(peer) + ": " + connectReason(cause),
        cause);
  }
}
