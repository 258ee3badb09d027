package io.fdt.client;

import io.fdt.core.engine.SessionDeadlines;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.transport.tcp.EventLoops;
import io.fdt.core.transport.tcp.TcpClient;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Hello;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

/**
 * What is needed to reach the server of one client. Immutable.
 *
 * @param connectTimeout for each connection
 * @param deadlines how patient a session is
 */
record Dialer(
    TcpClient tcp,
    EventLoops loops,
    ByteBufAllocator allocator,
    String host,
    int port,
    Duration connectTimeout,
    SessionDeadlines deadlines) {

  /** A control connection that has said hello, and the address that answered. */
  record Dialed(ControlConnection control, InetSocketAddress server) {}

  /** How long the server may be silent. */
  Duration idleTimeout() {
    return deadlines.idleTimeout();
  }

  /**
   * Opens a control connection to the first of the host's addresses that answers, and says hello.
   * Blocks: not for an event loop.
   */
  Dialed dial(EventLoop loop, Function<ControlConnection, ControlConnection.Handler> handlers)
      throws FdtException {
    FdtException first = null;
    for (InetAddress address : addresses()) {
      InetSocketAddress server = new InetSocketAddress(address, port);
      try {
        ControlConnection control = tcp.connectControl(loop, server, handlers).join();
        control.send(
            Control.newBuilder().setHello(Hello.newBuilder().setSoftware(software())).build());
        return new Dialed(control, server);
      } catch (CompletionException e) {
        FdtException failure = asFdtException(e.getCause());
        first = first == null ? failure : first;
      }
    }
    throw first;
  }

  private InetAddress[] addresses() throws FdtException {
    try {
      return InetAddress.getAllByName(host);
    } catch (UnknownHostException e) {
      throw new FdtException(
          ErrorCode.UNREACHABLE, "unknown host '" + host + "': check its name", e);
    }
  }

  static FdtException asFdtException(Throwable cause) {
    return cause instanceof FdtException known
        ? known
        : new FdtException(ErrorCode.INTERNAL, String.valueOf(cause), cause);
  }

  static String software() {
    String version = FdtClient.class.getPackage().getImplementationVersion();
    return "fdt " + (version == null ? "development" : version);
  }
}
