package io.fdt.core.transport.tcp;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.security.Tls;
import io.fdt.core.transport.DataStream;
import io.fdt.core.transport.DataTls;
import io.fdt.core.transport.StreamSettings;
import io.fdt.core.transport.tcp.socket.Addresses;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.JoinAnswer;
import io.fdt.core.wire.Preface;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Opens a client's data stream, from the TCP connection to the server's answer.
 *
 * <pre>
 *   clear:  preface, join, frames ... --> preface, answer, frames ...
 *   UDP:    preface, join --> preface, answer, then encrypted packets both ways
 *   TLS:    preface, handshake --> preface, handshake --> join, frames ... --> answer, frames ...
 * </pre>
 *
 * <p>Confined to the event loop of its connection.
 *
 * @param early bytes that the server sent before the client
 * @param waits whether the first frame waits for the server's answer
 * @param seals whether the packets after the join are encrypted, without TLS
 * @param tls empty for a stream without TLS
 * @param result fails with an {@link FdtException}
 */
record DataDial(
    EarlyAnswer early,
    Join join,
    StreamSettings settings,
    Optional<DataTls> tls,
    Duration deadline,
    boolean waits,
    boolean seals,
    Function<DataStream, DataStream.Handler> handlers,
    CompletableFuture<DataStream> result) {

  void start(Channel channel) {
    String peer = Addresses.text(channel.remoteAddress());
    try {
      EarlyAnswer.check(channel, early);
      if (!channel.isActive()) { // its end would go unnoticed
        throw new FdtException(ErrorCode.UNREACHABLE, peer + " closed the connection");
      }
      begin(channel);
    } catch (FdtException e) {
      result.completeExceptionally(e);
      channel.close();
    } catch (RuntimeException | Error e) { // closed concurrently, or out of memory
      result.completeExceptionally(Addresses.failure(peer, e));
      channel.close();
    }
  }

  private void begin(Channel channel) {
    channel.config().setAutoRead(true); // before the stream exists, which may change it
    if (tls.isEmpty()) {
      Answer answer = new Answer(true, null);
      channel.pipeline().addLast(answer);
      TcpDialer.writePreface(
          channel, seals ? Preface.ofSealedData() : Preface.of(Preface.Kind.DATA));
      answer.sendJoin(channel);
    } else {
      SslHandler handler = tls.get().tls().data(channel.alloc());
      handler.setHandshakeTimeoutMillis(deadline.toMillis());
      channel.pipeline().addLast(new PrefaceOfServer());
      TcpDialer.writePreface(channel, Preface.ofEncryptedData());
      channel.pipeline().addLast(handler, new Answer(false, handler));
      channel.flush();
    }
  }

  /** Waits for the server's preface before TLS. */
  private final class PrefaceOfServer extends PrefaceHandler {
    PrefaceOfServer() {
      super(deadline);
    }

    @Override
    String whenClosed() {
      return TcpDialer.NO_ANSWER;
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
      TcpDialer.checkWelcome(context.channel(), preface);
      return true;
    }

    @Override
    boolean more(ChannelHandlerContext context, ByteBuf in) {
      return true;
    }

    @Override
    void refused(ChannelHandlerContext context, FdtException cause) {
      result.completeExceptionally(cause);
    }
  }

  /** Waits for the server's preface, unless received, and for its answer to the join. */
  private final class Answer extends PrefaceHandler {
    private final SslHandler handler;
    private TcpStream stream;

    Answer(boolean withPreface, SslHandler handler) {
      super(deadline);
      this.handler = handler;
      if (!withPreface) {
        expectNoPreface();
      }
    }

    /** Output of the stream follows the join; its input follows the answer. */
    private void sendJoin(Channel channel) {
      ByteBuf bytes = channel.alloc().buffer(Join.LENGTH);
      join.write(bytes);
      channel.writeAndFlush(bytes);
      if (!waits) {
        beStream(channel);
      }
    }

    private void beStream(Channel channel) {
      stream = new TcpStream(channel, join.stream(), settings, tls.isPresent());
      stream.begin(handlers);
      channel.pipeline().addLast(stream);
    }

    @Override
    String whenClosed() {
      return TcpDialer.NO_ANSWER;
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
      TcpDialer.checkWelcome(context.channel(), preface);
      return false;
    }

    /** Sends the proof only to the server of the control connection. */
    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
      if (!(event instanceof SslHandshakeCompletionEvent completion)) {
        return;
      }
      String peer = Addresses.text(context.channel().remoteAddress());
      if (!completion.isSuccess()) {
        fail(context, Addresses.handshakeFailure(peer, completion.cause()));
      } else if (!Tls.isFor(handler, Tls.Purpose.DATA) || !isServerOfControl()) {
        fail(
            context,
            new FdtException(
                ErrorCode.UNTRUSTED,
                peer
                    + " is not the server of the control connection; check the port forwarding"
                    + " there"));
      } else {
        sendJoin(context.channel());
      }
    }

    private boolean isServerOfControl() {
      List<X509Certificate> chain = Tls.peerCertificates(handler);
      return !chain.isEmpty()
          && Fingerprint.of(chain.get(0).getPublicKey()).equals(tls.get().key());
    }

    @Override
    boolean more(ChannelHandlerContext context, ByteBuf in) throws FdtException {
      if (in.readableBytes() < JoinAnswer.LENGTH) {
        return false;
      }
      JoinAnswer answer = JoinAnswer.read(in);
      if (!answer.isAccepted()) {
        ErrorCode code = answer.refusal().get();
        throw new FdtException(
            code, "the server refused data stream " + join.stream() + ": " + code);
      }
      if (seals) {
        seal(context.channel(), in);
      }
      if (waits) {
        beStream(context.channel());
      }
      stream.framesFollow();
      result.complete(stream);
      return true;
    }

    /** Rejects clear bytes after the answer: they are not the server's. */
    private void seal(Channel channel, ByteBuf in) throws FdtException {
      if (in.isReadable()) {
        throw new FdtException(
            ErrorCode.PROTOCOL,
            "clear data in encrypted data stream %d from %s; a machine on the path may forge it"
                .formatted(join.stream(), Addresses.text(channel.remoteAddress())));
      }
      ((StreamChannel) channel).seal(settings.pathKey().orElseThrow());
    }

    @Override
    void refused(ChannelHandlerContext context, FdtException cause) {
      if (stream != null) {
        stream.failed(cause);
      }
      result.completeExceptionally(cause);
    }
  }
}
