package io.fdt.webdav;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.DialRule;
import io.fdt.core.transport.tcp.socket.Addresses;
import io.fdt.core.unit.AddressText;
import io.fdt.http.Authorities;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection to another web server, with TLS, to an address that the server's rule allows. One
 * thread sends and receives; any may close, which ends both.
 */
final class Remote implements AutoCloseable {
  private static final Set<String> OF_CONNECTION =
      Set.of(
          "host",
          "connection",
          "content-length",
          "transfer-encoding",
          "expect",
          "range",
          "if-range",
          "upgrade",
          "te");

  private static final int CONNECT_MILLIS = 10_000;
  private static final int STEP = 64 << 10;
  private static final Logger LOG = LoggerFactory.getLogger(Remote.class);

  private final RemoteUrl url;
  private final Socket plain;
  private final SSLSocket socket;
  private final EmbeddedChannel codec = new EmbeddedChannel(new HttpClientCodec());
  private final byte[] bytes = new byte[STEP];

  private Remote(RemoteUrl url, Socket plain, SSLSocket socket) {
    this.url = url;
    this.plain = plain;
    this.socket = socket;
  }

  /**
   * Connects.
   *
   * @param patience the longest silence of the other server
   * @throws FdtException FORBIDDEN by the rule; UNREACHABLE; UNTRUSTED
   */
  static Remote dial(RemoteUrl url, DialRule rule, Duration patience) throws FdtException {
    List<InetAddress> addresses;
    try {
      addresses = rule.resolve(url.host());
    } catch (UnknownHostException e) {
      throw new FdtException(
          ErrorCode.UNREACHABLE, "unknown host '" + url.host() + "': check its name", e);
    }
    FdtException last = null;
    for (InetAddress address : addresses) {
      InetSocketAddress at = new InetSocketAddress(address, url.port());
      Socket plain = new Socket();
      try {
        plain.connect(at, CONNECT_MILLIS);
        plain.setSoTimeout(Math.toIntExact(patience.toMillis()));
        plain.setTcpNoDelay(true);
      } catch (IOException e) {
        last = Addresses.connectFailure(at, e);
        close(plain);
        continue;
      }
      try {
        return secured(url, plain);
      } catch (FdtException e) {
        close(plain);
        throw e;
      } catch (IOException e) {
        close(plain);
        throw Addresses.handshakeFailure(url.authority(), e);
      }
    }
    throw last;
  }

  private static Remote secured(RemoteUrl url, Socket plain) throws IOException {
    SSLSocket socket =
        (SSLSocket)
            Authorities.of(System.getenv())
                .getSocketFactory()
                .createSocket(plain, url.host(), url.port(), true);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    if (!url.host().matches("[0-9.]+|.*:.*")) {
      parameters.setServerNames(List.of(new SNIHostName(url.host())));
    }
    socket.setSSLParameters(parameters);
    socket.startHandshake();
    return new Remote(url, plain, socket);
  }

  /** The address that it is connected to, as performance markers name it. */
  String peer() {
    String address = AddressText.of(socket.getInetAddress().getHostAddress());
    return "tcp:"
        + (address.indexOf(':') >= 0 ? "[" + address + "]" : address)
        + ":"
        + socket.getPort();
  }

  RemoteUrl url() {
    return url;
  }

  /** Sends a part of a request; releases it. */
  void send(Object message) throws FdtException {
    codec.writeOutbound(message);
    try {
      for (ByteBuf out = codec.readOutbound(); out != null; out = codec.readOutbound()) {
        try {
          out.readBytes(socket.getOutputStream(), out.readableBytes());
        } finally {
          out.release();
        }
      }
      socket.getOutputStream().flush();
    } catch (IOException e) {
      throw broken(e);
    }
  }

  /** The next part of the answer. The caller releases it. */
  Object receive() throws FdtException {
    try {
      while (true) {
        Object message = codec.readInbound();
        if (message != null) {
          return message;
        }
        int read = socket.getInputStream().read(bytes);
        if (read < 0) {
          codec.finish();
          message = codec.readInbound();
          if (message != null) {
            return message;
          }
          throw new IOException("the connection was closed");
        }
        codec.writeInbound(Unpooled.copiedBuffer(bytes, 0, read));
      }
    } catch (IOException e) {
      throw broken(e);
    }
  }

  private FdtException broken(IOException cause) {
    return Addresses.failure(url.authority(), cause);
  }

  /** {@inheritDoc} At once: TLS would wait for a thread that sends. */
  @Override
  public void close() {
    close(plain);
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      LOG.debug("http: closing failed reason={}", e.getMessage());
    }
  }

  /** Releases its memory; after the last call of its thread. */
  void release() {
    close();
    codec.finishAndReleaseAll();
  }

  static void drop(Object message) {
    ReferenceCountUtil.release(message);
  }

  /** Whether a header belongs to a connection, so that no client chooses it. */
  static boolean isOfConnection(String name) {
    return OF_CONNECTION.contains(name.toLowerCase(Locale.ROOT));
  }
}
