package io.fdt.core.transport.tcp;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.ClientTls;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.transport.DataConnection;
import io.fdt.core.transport.EventLoops;
import io.fdt.core.transport.Routes;
import io.fdt.core.transport.SecuredControl;
import io.fdt.core.wire.ControlFrames;
import io.fdt.core.wire.Preface;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
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

  /**
   * @param allocator where payloads go
   * @param connectTimeout for the TCP connection, and again for the server's first answer
   * @param routes how connections get to their peers; empty for directly
   */
  TcpDialer(
      EventLoops loops,
      ByteBufAllocator allocator,
      Duration connectTimeout,
      Optional<Routes> routes) {
    this.routes = routes;
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
        new ChannelInboundHandlerAdapter(),
        result,
        connected -> {
          if (!connected.isSuccess()) {
            result.completeExceptionally(connectFailure(server, connected.cause()));
            return;
          }
          Channel channel = connected.channel();
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
    connect(
        loops.next(),
        server,
        Routes::ofData,
        early,
        result,
        connected -> {
          if (connected.isSuccess()) {
            Channel channel = connected.channel();
            result.complete(new TcpDataConnection(channel, early, connectTimeout, true));
          } else {
            result.completeExceptionally(connectFailure(server, connected.cause()));
          }
        });
    return result;
  }

  /**
   * Connects on the event loop, so that {@code listener} runs as soon as it is connected, before
   * anything is read: a server that refuses this address says so at once.
   */
  private void connect(
      EventLoop loop,
      InetSocketAddress server,
      BiFunction<Routes, InetSocketAddress, CompletableFuture<Routes.Route>> way,
      ChannelHandler first,
      CompletableFuture<?> result,
      ChannelFutureListener listener) {
    if (routes.isPresent()) {
      way.apply(routes.get(), server)
          .whenComplete(
              (route, failure) -> {
                if (failure != null) {
                  result.completeExceptionally(
                      Addresses.failure(Addresses.text(server), unwrapped(failure)));
                } else {
                  onLoop(loop, server, result, () -> relay(loop, route, first, result, listener));
                }
              });
    } else {
      onLoop(
          loop,
          server,
          result,
          () -> bootstrap(loop).handler(first).connect(server).addListener(listener));
    }
  }

  private static Throwable unwrapped(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  private static void onLoop(
      EventLoop loop, InetSocketAddress server, CompletableFuture<?> result, Runnable dial) {
    try {
      loop.execute(
          () -> {
            try {
              dial.run();
            } catch (RuntimeException | Error e) { // or nobody would hear of it
              result.completeExceptionally(Addresses.failure(Addresses.text(server), e));
            }
          });
    } catch (RejectedExecutionException e) { // the client or server was closed
      result.completeExceptionally(connectFailure(server, e));
    }
  }

  /** Connects to the first relay, and has each connect further. */
  private void relay(
      EventLoop loop,
      Routes.Route route,
      ChannelHandler first,
      CompletableFuture<?> result,
      ChannelFutureListener listener) {
    CompletableFuture<Channel> relayed = new CompletableFuture<>();
    RelayHop hop =
        new RelayHop(
            route,
            0,
            connectTimeout,
            first,
            failure -> {
              if (failure == null) {
                relayed.complete(null);
              } else {
                relayed.completeExceptionally(failure);
              }
            });
    bootstrap(loop)
        .handler(hop)
        .connect(route.first())
        .addListener(
            (ChannelFutureListener)
                connected -> {
                  if (!connected.isSuccess()) {
                    result.completeExceptionally(connectFailure(route.first(), connected.cause()));
                    return;
                  }
                  relayed.whenComplete(
                      (nothing, failure) -> {
                        if (failure != null) {
                          result.completeExceptionally(failure);
                        } else {
                          tell(listener, connected);
                        }
                      });
                });
  }

  private static void tell(ChannelFutureListener listener, ChannelFuture connected) {
    try {
      listener.operationComplete(connected);
    } catch (Exception e) {
      throw new IllegalStateException("a listener of ours throws nothing that is checked", e);
    }
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
