package io.fdt.core.transport.tcp;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.ClientTls;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.transport.Routes;
import io.fdt.core.transport.SecuredControl;
import io.fdt.core.transport.tcp.socket.Addresses;
import io.fdt.core.wire.ControlFrames;
import io.fdt.core.wire.Preface;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/** Dials control connections over TCP. Thread-safe. */
final class TcpDialer {
  /** The failure of a server that closes before its answer. */
  static final String NO_ANSWER =
      "closed the connection before it answered: is it an FDT server?" + Addresses.MTU;

  private final RelayDialer dialer;
  private final Duration deadline;

  /**
   * @param deadline for the server's first answer
   */
  TcpDialer(RelayDialer dialer, Duration deadline) {
    this.dialer = dialer;
    this.deadline = deadline;
  }

  /**
   * Opens a control connection.
   *
   * @param host the name that the server's certificate must contain
   * @param reached runs on an event loop once the TCP connection is open, before the handshake;
   *     receives the round-trip time, zero when unknown
   * @param handlers makes the handler of the connection, on its event loop, when it begins
   * @return fails with an {@link FdtException}, also when the peer is not an FDT server, or of
   *     another version
   */
  CompletableFuture<SecuredControl> connectControl(
      EventLoop loop,
      InetSocketAddress server,
      ClientTls tls,
      String host,
      Consumer<Duration> reached,
      Function<ControlConnection, ControlConnection.Handler> handlers) {
    CompletableFuture<SecuredControl> result = new CompletableFuture<>();
    dialer.dial(
        loop,
        server,
        Routes::to,
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
          } catch (RuntimeException | Error e) { // or the failure would go unnoticed
            result.completeExceptionally(Addresses.failure(Addresses.text(server), e));
            channel.close();
          }
        });
    return result;
  }

  private TcpControl secure(
      Channel channel, SslHandler handler, boolean identified, ControlHandshake handshake) {
    handler.setHandshakeTimeoutMillis(deadline.toMillis());
    TcpControl control = new TcpControl(channel, handler, handshake, ControlFrames.MAX_LENGTH);
    handshake.control = control;
    channel.pipeline().addLast(new ControlAnswer(deadline, control));
    writePreface(
        channel, identified ? Preface.ofIdentifiedControl() : Preface.of(Preface.Kind.CONTROL));
    control.addToPipeline(); // sends the first bytes of TLS
    channel.flush();
    channel.config().setAutoRead(true);
    return control;
  }

  /** Hands over the connection once it is secured. */
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

  static void writePreface(Channel channel, Preface preface) {
    ByteBuf bytes = channel.alloc().buffer(Preface.LENGTH);
    preface.write(bytes);
    channel.write(bytes);
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
    String whenSilent() {
      return Addresses.MTU_OF_PATH;
    }

    @Override
    void recognised(ChannelHandlerContext context) {
      // A client sends no reply to an answer.
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
