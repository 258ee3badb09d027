package io.fdt.core.transport.tcp;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.ServerTls;
import io.fdt.core.security.Tls;
import io.fdt.core.transport.Acceptor;
import io.fdt.core.transport.tcp.socket.Addresses;
import io.fdt.core.wire.JoinAnswer;
import io.fdt.core.wire.Preface;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandler;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Reads the purpose of a client's connection and installs its handlers.
 *
 * <pre>
 *   preface -> control   -> TLS -> TcpControl
 *           -> data      -> join -> TcpStream
 *           -> data, TLS -> TLS -> join -> TcpStream
 *           -> relay     -> join -> the connection to another server
 * </pre>
 *
 * <p>Confined to the event loop of its connection.
 */
final class ServerHandshake extends PrefaceHandler {
  /**
   * The server's settings.
   *
   * @param tls connections wait for it
   * @param deadline for each step
   * @param dataOnly whether control connections are refused
   */
  record Host(
      CompletableFuture<ServerTls> tls,
      Acceptor acceptor,
      UnauthenticatedConnections unauthenticated,
      Duration deadline,
      boolean dataOnly) {
    void log(ChannelHandlerContext context, FdtException cause) {
      unauthenticated.refused(
          Addresses.text(context.channel().remoteAddress()), cause.getMessage());
    }
  }

  /** Longest message before the hello: names and a token, in bytes. */
  private static final int MAX_FIRST_MESSAGE = 4096;

  private final Host host;
  private final Joining joining;
  private final Relaying relaying;
  private Preface preface;
  private boolean waiting;

  ServerHandshake(Host host) {
    super(host.deadline());
    this.host = host;
    this.joining = new Joining(host);
    this.relaying = new Relaying(host);
  }

  @Override
  String whenClosed() {
    return Joining.CLOSED;
  }

  @Override
  void recognised(ChannelHandlerContext context) {
    host.unauthenticated().hasSpoken(context.channel());
    ByteBuf answer = context.alloc().buffer(Preface.LENGTH);
    Preface.of(Preface.Kind.ANSWER).write(answer);
    context.writeAndFlush(answer);
  }

  @Override
  boolean preface(ChannelHandlerContext context, Preface read) throws FdtException {
    preface = read;
    if (read.kind() == Preface.Kind.ANSWER) {
      throw new FdtException(ErrorCode.PROTOCOL, "unexpected preface from a client: kind=ANSWER");
    }
    if (read.kind() == Preface.Kind.CONTROL && host.dataOnly()) {
      throw new FdtException(ErrorCode.PROTOCOL, "control connections over UDP are not supported");
    }
    boolean canSeal = context.channel() instanceof StreamChannel own && own.canSeal();
    if (read.isSealed() && !canSeal) {
      throw new FdtException(
          ErrorCode.PROTOCOL, "preface asks for encrypted packets on a connection that has none");
    }
    return false;
  }

  private boolean isClear() {
    return (preface.kind() == Preface.Kind.DATA && !preface.isEncrypted())
        || preface.kind() == Preface.Kind.RELAY;
  }

  private boolean secureWhenReady(Channel channel) throws FdtException {
    if (!host.tls().isDone()) {
      if (!waiting) {
        waiting = true;
        Runnable again = () -> channel.pipeline().fireChannelRead(Unpooled.EMPTY_BUFFER);
        host.tls().whenComplete((ready, defect) -> channel.eventLoop().execute(again));
      }
      return false;
    }
    if (host.tls().isCompletedExceptionally()) {
      throw new FdtException(ErrorCode.INTERNAL, "the server has no TLS");
    }
    boolean isControl = preface.kind() == Preface.Kind.CONTROL;
    Tls.Purpose purpose = isControl ? Tls.Purpose.CONTROL : Tls.Purpose.DATA;
    SslHandler handler =
        host.tls().join().handler(purpose, preface.isIdentified(), channel.alloc());
    handler.setHandshakeTimeoutMillis(host.deadline().toMillis());
    if (isControl) {
      ControlHandshake handshake = new ControlHandshake(channel, host);
      handshake.control = new TcpControl(channel, handler, handshake, MAX_FIRST_MESSAGE);
      handshake.control.addToPipeline();
    } else {
      channel.pipeline().addLast(handler, new EncryptedJoin(handler, host));
    }
    return true;
  }

  @Override
  boolean more(ChannelHandlerContext context, ByteBuf in) throws FdtException {
    if (!isClear()) {
      // Creates the TLS engine only when the client sends its first bytes.
      return in.isReadable() && secureWhenReady(context.channel());
    }
    return preface.kind() == Preface.Kind.RELAY
        ? relaying.read(context, in)
        : joining.read(
            context, this, in, preface.isSealed() ? Joining.Cover.PACKETS : Joining.Cover.CLEAR);
  }

  @Override
  void refused(ChannelHandlerContext context, FdtException cause) {
    if (cause.code() == ErrorCode.UNREACHABLE) {
      return; // the client has gone, as the streams of a refused session and probes do
    }
    host.log(context, cause);
    if (preface == null && cause.code() == ErrorCode.BUSY) {
      Refusal.say(context, cause.code());
    } else if (preface != null && isClear()) {
      Joining.answer(context, JoinAnswer.refused(cause.code()));
    }
  }

  /** Finds the handler of a control connection once it is secured. */
  private static final class ControlHandshake implements TcpControl.Handshake {
    private final Channel channel;
    private final Host host;
    private TcpControl control;

    ControlHandshake(Channel channel, Host host) {
      this.channel = channel;
      this.host = host;
    }

    @Override
    public void secured(List<X509Certificate> certificates) {
      control.setHandler(host.acceptor().control(control, channel.eventLoop()));
    }

    @Override
    public void known() {
      host.unauthenticated().known(channel);
    }

    @Override
    public void refused(FdtException cause) {
      if (cause.code() != ErrorCode.UNREACHABLE) {
        host.unauthenticated().refused(control.peer(), cause.getMessage());
      }
    }
  }
}
