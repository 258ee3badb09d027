package io.fdt.client;

import io.fdt.core.engine.SessionDeadlines;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.Background;
import io.fdt.core.security.ClientTls;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.transport.tcp.DataTls;
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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * What is needed to reach the server of one client. Immutable.
 *
 * @param tls what this client shows, and to whom it talks within TLS
 * @param trust to whom it talks at all
 * @param token what it shows to the server; its own server gets its own token without
 * @param encryptsData whether data streams are within TLS as well
 * @param connectTimeout for each connection
 * @param deadlines how patient a session is
 */
record Dialer(
    TcpClient tcp,
    EventLoops loops,
    ByteBufAllocator allocator,
    String host,
    int port,
    CompletableFuture<ClientTls> tls,
    ServerTrust trust,
    Optional<AccessToken> token,
    boolean encryptsData,
    Duration connectTimeout,
    SessionDeadlines deadlines) {

  /**
   * A control connection that has said hello.
   *
   * @param server the address that answered
   * @param key who it has proven to be
   */
  record Dialed(ControlConnection control, InetSocketAddress server, Fingerprint key) {}

  /** How long the server may be silent. */
  Duration idleTimeout() {
    return deadlines.idleTimeout();
  }

  /**
   * Opens a control connection to the first of the host's addresses that answers, makes sure that
   * it is a server to talk to, and says hello. Blocks: not for an event loop.
   *
   * @param reached hears of an address that answers, and how long a round trip to it took (zero
   *     when the system does not say), before it is known who that is; any thread
   */
  Dialed dial(
      EventLoop loop,
      BiConsumer<InetSocketAddress, Duration> reached,
      Function<ControlConnection, ControlConnection.Handler> handlers)
      throws FdtException {
    ClientTls security = Background.join(tls);
    FdtException first = null;
    for (InetAddress address : addresses()) {
      InetSocketAddress server = new InetSocketAddress(address, port);
      try {
        Consumer<Duration> answers = roundTrip -> reached.accept(server, roundTrip);
        return greet(
            tcp.connectControl(loop, server, security, host, answers, handlers).get(), server);
      } catch (InterruptedException e) {
        throw new FdtException(ErrorCode.CANCELLED, "no longer wanted", e);
      } catch (ExecutionException e) {
        FdtException failure = asFdtException(e.getCause());
        if (failure.code() != ErrorCode.UNREACHABLE && failure.code() != ErrorCode.TIMEOUT) {
          throw failure;
        }
        first = first == null ? failure : first;
      }
    }
    throw first;
  }

  private Dialed greet(TcpClient.Secured secured, InetSocketAddress server) throws FdtException {
    ControlConnection control = secured.control();
    try {
      trust.check(host, port, secured.certificates());
      Fingerprint key = ServerTrust.fingerprint(secured.certificates());
      Hello hello = Hello.newBuilder().setSoftware(software()).setToken(secretFor(key)).build();
      secured.begin().run();
      control.send(Control.newBuilder().setHello(hello).build());
      return new Dialed(control, server, key);
    } catch (FdtException e) {
      control.close();
      throw e;
    }
  }

  /** What data streams to the server of this connection need. */
  Optional<DataTls> dataTls(Dialed dialed) {
    return encryptsData ? Optional.of(new DataTls(tls.join(), dialed.key())) : Optional.empty();
  }

  private String secretFor(Fingerprint server) throws FdtException {
    return token.isPresent() ? token.get().secret() : trust.ownToken(server).orElse("");
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
        : FdtException.unforeseen("connecting failed", cause);
  }

  static String software() {
    String version = FdtClient.class.getPackage().getImplementationVersion();
    return "fdt " + (version == null ? "development" : version);
  }
}
