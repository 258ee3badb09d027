package io.fdt.core.transport.tcp;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.ClientTls;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.transport.DataConnection;
import io.fdt.core.transport.EventLoops;
import io.fdt.core.transport.Fan;
import io.fdt.core.transport.FanPlaces;
import io.fdt.core.transport.Routes;
import io.fdt.core.transport.SecuredControl;
import io.fdt.core.wire.ControlFrames;
import io.fdt.core.wire.Preface;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;

/** Dials over TCP: control and data connections to the same port. Thread-safe. */
final class TcpDialer {
  /** Said of a server that hangs up before it has answered. */
  static final String NO_ANSWER = "closed the connection at once: is it an FDT server?";

  private final EventLoops loops;
  private final ByteBufAllocator allocator;
  private final Duration connectTimeout;
  private final Optional<Routes> routes;
  private final Fan fan;
  private final FanPlaces places;

  /**
   * @param allocator where payloads go
   * @param connectTimeout for the TCP connection, and again for the server's first answer
   * @param routes how connections get to their peers; empty for directly
   * @param fan over how many connections data goes to the first machine
   */
  TcpDialer(
      EventLoops loops,
      ByteBufAllocator allocator,
      Duration connectTimeout,
      Optional<Routes> routes,
      Fan fan) {
    this.routes = routes;
    this.fan = fan;
    this.places = new FanPlaces(fan);
    this.loops = loops;
    this.allocator = allocator;
    this.connectTimeout = connectTimeout;
  }

  /**
   * Opens a control connection.
   *
   * @param host the name of the server, where its certificate is to bear it
   * @param reached runs on an event loop once there is a TCP connection, before the handshake; gets
   *     how long a round trip took, zero when the system does not say
   * @param handlers makes the handler of the connection, on its event loop, when it begins
   * @return fails with an {@link FdtException}, also when the other side is no FDT server, or one
   *     of another version
   */
  CompletableFuture<SecuredControl> connectControl(
      EventLoop loop,
      InetSocketAddress server,
      ClientTls tls,
      String host,
      Consumer<Duration> reached,
      Function<ControlConnection, ControlConnection.Handler> handlers) {
    CompletableFuture<SecuredControl> result = new CompletableFuture<>();
    connect(
        loop,
        server,
        Routes::to,
        1,
        new ChannelInboundHandlerAdapter(),
        (channel, failure) -> {
          if (failure != null) {
            result.completeExceptionally(failure);
            return;
          }
          try {
            SslHandler handler = tls.control(channel.alloc(), host, server.getPort());
            TcpControl control =
                secure(
                    channel,
                    handler,
                    tls.isIdentified(),
                    new ControlHandshake(loop, handlers, result));
            reached.accept(control.roundTrip());
          } catch (RuntimeException | Error e) { // or nobody would hear of it
            result.completeExceptionally(Addresses.failure(Addresses.text(server), e));
            channel.close();
          }
        });
    return result;
  }

  private TcpControl secure(
      Channel channel, SslHandler handler, boolean identified, ControlHandshake handshake) {
    handler.setHandshakeTimeoutMillis(connectTimeout.toMillis());
    TcpControl control = new TcpControl(channel, handler, handshake, ControlFrames.MAX_LENGTH);
    handshake.control = control;
    channel.pipeline().addLast(new ControlAnswer(connectTimeout, control));
    writePreface(
        channel, identified ? Preface.ofIdentifiedControl() : Preface.of(Preface.Kind.CONTROL));
    control.addToPipeline(); // sends the first bytes of TLS
    channel.flush();
    channel.config().setAutoRead(true);
    return control;
  }

  /** Hands the connection over once it is secured. */
  private static final class ControlHandshake implements TcpControl.Handshake {
    private final EventLoop loop;
    private final Function<ControlConnection, ControlConnection.Handler> handlers;
    private final CompletableFuture<SecuredControl> result;
    private TcpControl control;

    ControlHandshake(
        EventLoop loop,
        Function<ControlConnection, ControlConnection.Handler> handlers,
        CompletableFuture<SecuredControl> result) {
      this.loop = loop;
      this.handlers = handlers;
      this.result = result;
    }

    @Override
    public void secured(List<X509Certificate> certificates) {
      TcpControl secured = control;
      Runnable begin = () -> secured.setHandler(handlers.apply(secured));
      result.complete(
          new SecuredControl(
              secured,
              certificates,
              () -> {
                if (loop.inEventLoop()) {
                  begin.run();
                } else {
                  loop.execute(begin);
                }
              }));
    }

    @Override
    public void refused(FdtException cause) {
      result.completeExceptionally(cause);
    }
  }

  /**
   * Opens a connection for a data stream, on which nothing is said yet.
   *
   * @return fails with an {@link FdtException}
   */
  CompletableFuture<DataConnection> connectData(InetSocketAddress server) {
    CompletableFuture<DataConnection> result = new CompletableFuture<>();
    EarlyAnswer early = new EarlyAnswer();
    FanPlaces.Place place = places.take();
    connect(
        loops.next(),
        server,
        Routes::ofData,
        place.connections(),
        early,
        (channel, failure) -> {
          if (failure != null) {
            places.giveBack(place);
            result.completeExceptionally(failure);
          } else {
            channel.closeFuture().addListener(closed -> places.giveBack(place));
            result.complete(new TcpDataConnection(channel, early, connectTimeout, true));
          }
        });
    return result;
  }

  /** Whether streams may have more than one connection to the first machine. */
  boolean dialsFans() {
    return !fan.isOneToOne();
  }

  /**
   * Hears once of a connection that leads to the peer, or else of an {@link FdtException}. On the
   * event loop, unless there is none any more.
   */
  @FunctionalInterface
  private interface Dialed {
    void done(Channel channel, FdtException failure);
  }

  /**
   * Connects on the event loop, so that {@code dialed} runs as soon as it is connected, before
   * anything is read: a server that refuses this address says so at once.
   *
   * @param connections to the first machine, which carry one together
   * @param last the handler of the connection when it leads to the peer
   */
  private void connect(
      EventLoop loop,
      InetSocketAddress server,
      BiFunction<Routes, InetSocketAddress, CompletableFuture<Routes.Route>> way,
      int connections,
      ChannelHandler last,
      Dialed dialed) {
    if (routes.isEmpty()) {
      onLoop(loop, server, dialed, () -> open(loop, server, connections, last, dialed));
      return;
    }
    way.apply(routes.get(), server)
        .whenComplete(
            (route, failure) -> {
              if (failure != null) {
                dialed.done(null, Addresses.failure(Addresses.text(server), unwrapped(failure)));
              } else {
                onLoop(loop, server, dialed, () -> relay(loop, route, connections, last, dialed));
              }
            });
  }

  private static Throwable unwrapped(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  private static void onLoop(
      EventLoop loop, InetSocketAddress server, Dialed dialed, Runnable dial) {
    try {
      loop.execute(
          () -> {
            try {
              dial.run();
            } catch (RuntimeException | Error e) { // or nobody would hear of it
              dialed.done(null, Addresses.failure(Addresses.text(server), e));
            }
          });
    } catch (RejectedExecutionException e) { // the client or server was closed
      dialed.done(null, connectFailure(server, e));
    }
  }

  private void open(
      EventLoop loop,
      InetSocketAddress address,
      int connections,
      ChannelHandler handler,
      Dialed dialed) {
    if (connections == 1) {
      bootstrap(loop)
          .handler(handler)
          .connect(address)
          .addListener(
              (ChannelFutureListener)
                  done ->
                      tell(
                          dialed, address, done.isSuccess() ? done.channel() : null, done.cause()));
      return;
    }
    FanDial.dial(
            loop,
            () -> bootstrap(loop),
            address,
            connections,
            fan -> {
              fan.config().setAutoRead(false);
              fan.config().setRecvByteBufAllocator(new FrameReadAllocator());
              fan.pipeline().addLast(handler);
            })
        .whenComplete((fan, failure) -> tell(dialed, address, fan, failure));
  }

  private static void tell(
      Dialed dialed, InetSocketAddress address, Channel channel, Throwable failure) {
    dialed.done(channel, failure == null ? null : connectFailure(address, failure));
  }

  /** Connects to the first relay, and has each connect further. */
  private void relay(
      EventLoop loop, Routes.Route route, int connections, ChannelHandler last, Dialed dialed) {
    CompletableFuture<Void> passed = new CompletableFuture<>();
    RelayHop hop =
        new RelayHop(
            route,
            0,
            connectTimeout,
            last,
            failure -> {
              if (failure == null) {
                passed.complete(null);
              } else {
                passed.completeExceptionally(failure);
              }
            });
    open(
        loop,
        route.first(),
        connections,
        hop,
        (channel, failure) -> {
          if (failure != null) {
            dialed.done(null, failure);
            return;
          }
          passed.whenComplete(
              (nothing, refusal) -> {
                if (refusal == null) {
                  dialed.done(channel, null);
                } else {
                  dialed.done(
                      null, Addresses.failure(Addresses.text(route.first()), unwrapped(refusal)));
                }
              });
        });
  }

  private Bootstrap bootstrap(EventLoop loop) {
    return new Bootstrap()
        .group(loop)
        .channel(TcpTransport.socketChannel())
        .option(ChannelOption.ALLOCATOR, allocator)
        .option(ChannelOption.AUTO_READ, false)
        .option(ChannelOption.RECVBUF_ALLOCATOR, new FrameReadAllocator())
        .option(ChannelOption.SO_KEEPALIVE, true)
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, Math.toIntExact(connectTimeout.toMillis()));
  }

  static void writePreface(Channel channel, Preface preface) {
    ByteBuf bytes = channel.alloc().buffer(Preface.LENGTH);
    preface.write(bytes);
    channel.write(bytes);
  }

  private static FdtException connectFailure(InetSocketAddress server, Throwable cause) {
    return new FdtException(
        ErrorCode.UNREACHABLE,
        "cannot connect to " + Addresses.text(server) + ": " + Addresses.connectReason(cause),
        cause);
  }

  static void checkWelcome(Channel channel, Preface answer) throws FdtException {
    if (answer.refusal() == 0) {
      return;
    }
    String server = Addresses.text(channel.remoteAddress());
    ErrorCode code = ErrorCode.ofWireCode(answer.refusal());
    throw new FdtException(
        code,
        switch (code) {
          case FORBIDDEN ->
              server + " does not accept connections from this address; ask its administrator";
          case BUSY -> server + " has reached its limit of connections; try again later";
          default -> server + " refuses the connection: " + code;
        });
  }

  /** Waits for the server's preface on a control connection. */
  private static final class ControlAnswer extends PrefaceHandler {
    private final TcpControl control;

    ControlAnswer(Duration deadline, TcpControl control) {
      super(deadline);
      this.control = control;
    }

    @Override
    String whenClosed() {
      return NO_ANSWER;
    }

    @Override
    void recognised(ChannelHandlerContext context) {
      // An answer needs no answer.
    }

    @Override
    boolean preface(ChannelHandlerContext context, Preface preface) throws FdtException {
      checkWelcome(context.channel(), preface);
      return true;
    }

    @Override
    boolean more(ChannelHandlerContext context, ByteBuf in) {
      return true;
    }

    @Override
    void refused(ChannelHandlerContext context, FdtException cause) {
      control.failed(cause);
    }
  }
}
