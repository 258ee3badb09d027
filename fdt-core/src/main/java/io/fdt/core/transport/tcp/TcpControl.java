package io.fdt.core.transport.tcp;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.security.Tls;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.transport.PathState;
import io.fdt.core.transport.tcp.socket.Addresses;
import io.fdt.core.transport.tcp.socket.LingeringClose;
import io.fdt.core.wire.AbortCoding;
import io.fdt.core.wire.ControlDecoder;
import io.fdt.core.wire.ControlFrames;
import io.fdt.core.wire.control.Control;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A TCP connection with control messages in TLS, after both prefaces. Methods: any thread.
 *
 * <pre>
 *   handshake -> SECURED -> messages -> closed
 *       '-----> refused
 * </pre>
 */
final class TcpControl extends ChannelInboundHandlerAdapter implements ControlConnection {
  /** Receives the outcome of the handshake: one of the two, once, on the event loop. */
  interface Handshake {
    /** The certificates that the peer has proven; empty when it has none. */
    void secured(List<X509Certificate> certificates);

    /** {@link #peerIsKnown} was called. */
    default void known() {}

    /** The handshake failed. */
    void refused(FdtException cause);
  }

  /** Time to send pending messages before a close; a peer may have stopped reading. */
  private static final int FLUSH_SECONDS = 30;

  /**
   * Limit on bytes for a peer that does not read. The entries that one session may have in flight,
   * 32,768, need at most 25 MB.
   */
  private static final long MAX_PENDING_BYTES = 64L << 20;

  private final Channel channel;
  private final SslHandler tls;
  private final Handshake handshake;
  private final ControlDecoder decoder;
  private final AtomicLong pendingBytes = new AtomicLong();
  private final String peer;
  private Handler handler;
  private FdtException failure;
  private boolean secured;
  private volatile Optional<Fingerprint> peerKey = Optional.empty();
  private boolean closed;

  /**
   * @param maxMessage longest message until {@link #peerIsKnown}, in bytes
   */
  TcpControl(Channel channel, SslHandler tls, Handshake handshake, int maxMessage) {
    this.channel = channel;
    this.tls = tls;
    this.handshake = handshake;
    this.decoder = new ControlDecoder(maxMessage);
    this.peer = Addresses.text(channel.remoteAddress());
  }

  /** Appends the connection to the pipeline, with TLS and the lingering close. */
  void addToPipeline() {
    tls.setCloseNotifyFlushTimeout(FLUSH_SECONDS, TimeUnit.SECONDS);
    channel.pipeline().addLast(new LingeringClose(), tls, this);
  }

  /**
   * Sets the receiver of messages, once; a peer that sends earlier violates the protocol. On the
   * event loop.
   */
  void setHandler(Handler handler) {
    this.handler = handler;
    if (closed) {
      handler.closed(cause());
    }
  }

  @Override
  public void send(Control message) {
    if (WireTrace.IS_ON) {
      WireTrace.sent(peer, message);
    }
    ByteBuf bytes = ControlFrames.encode(message, channel.alloc());
    int length = bytes.readableBytes();
    if (pendingBytes.addAndGet(length) > MAX_PENDING_BYTES) {
      bytes.release();
      channel
          .eventLoop()
          .execute(
              () -> {
                end(doesNotRead());
                LingeringClose.cutShort(channel); // releases the memory of pending messages
              });
      return;
    }
    channel.writeAndFlush(bytes).addListener(done -> sent(length));
  }

  private void sent(int length) {
    synchronized (pendingBytes) {
      pendingBytes.addAndGet(-length);
      pendingBytes.notifyAll();
    }
  }

  @Override
  public void awaitPending(long most, Duration patience) throws FdtException, InterruptedException {
    synchronized (pendingBytes) {
      long last = pendingBytes.get();
      long untilNanos = System.nanoTime() + patience.toNanos();
      while (pendingBytes.get() > most) {
        long leftNanos = untilNanos - System.nanoTime();
        if (leftNanos <= 0) {
          throw doesNotRead();
        }
        TimeUnit.NANOSECONDS.timedWait(pendingBytes, leftNanos);
        if (pendingBytes.get() < last) {
          untilNanos = System.nanoTime() + patience.toNanos();
        }
        last = pendingBytes.get();
      }
    }
    if (!channel.isActive()) {
      throw new FdtException(ErrorCode.UNREACHABLE, peer + " closed the connection");
    }
  }

  private FdtException doesNotRead() {
    return new FdtException(
        ErrorCode.TIMEOUT, peer + " does not read: " + pendingBytes.get() + " bytes are pending");
  }

  @Override
  public Duration roundTrip() {
    Duration behindRelays = channel.attr(RelayHop.ROUND_TRIP).get();
    if (behindRelays != null) {
      return behindRelays;
    }
    long micros = TcpInfo.of(channel).map(PathState::leastRoundTripMicros).orElse(0L);
    return Duration.of(micros, ChronoUnit.MICROS);
  }

  @Override
  public long pendingBytes() {
    return pendingBytes.get();
  }

  @Override
  public void peerIsKnown() {
    handshake.known();
    decoder.setMaxLength(ControlFrames.MAX_LENGTH);
  }

  @Override
  public String peer() {
    return peer;
  }

  @Override
  public InetAddress peerAddress() {
    return ((InetSocketAddress) channel.remoteAddress()).getAddress();
  }

  @Override
  public InetAddress localAddress() {
    return ((InetSocketAddress) channel.localAddress()).getAddress();
  }

  @Override
  public Optional<Fingerprint> peerKey() {
    return peerKey;
  }

  @Override
  public void setReading(boolean reading) {
    channel.config().setAutoRead(reading);
  }

  @Override
  public void close() {
    channel.close();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (!(event instanceof SslHandshakeCompletionEvent completion) || failure != null) {
      return;
    }
    if (!completion.isSuccess()) {
      end(Addresses.handshakeFailure(peer, completion.cause()));
      context.close();
    } else if (!Tls.isFor(tls, Tls.Purpose.CONTROL)) {
      end(
          new FdtException(
              ErrorCode.PROTOCOL, peer + " opened this TLS connection for another purpose"));
      context.close();
    } else {
      secured = true;
      List<X509Certificate> certificates = Tls.peerCertificates(tls);
      peerKey = certificates.stream().findFirst().map(own -> Fingerprint.of(own.getPublicKey()));
      handshake.secured(certificates);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object bytes) {
    try {
      decoder.feed((ByteBuf) bytes, this::message);
    } catch (FdtException e) {
      fail(e);
    }
  }

  private void message(Control message) throws FdtException {
    if (WireTrace.IS_ON) {
      WireTrace.received(peer, message);
    }
    if (handler == null) {
      throw new FdtException(
          ErrorCode.PROTOCOL, peer + " sent a message before the handshake was complete");
    }
    handler.message(message);
  }

  private void fail(FdtException cause) {
    if (failure == null) {
      failure = cause;
      send(AbortCoding.encode(cause));
      close();
    }
  }

  /** Ends a connection to an unsuitable peer. */
  void failed(FdtException cause) {
    if (failure == null) {
      failure = cause;
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    end();
  }

  /** Reports the failure to the owner at once; the close takes some time. */
  private void end(FdtException cause) {
    failed(cause);
    end();
  }

  private void end() {
    if (closed) {
      return;
    }
    closed = true;
    decoder.close();
    if (!secured) {
      handshake.refused(cause());
    } else if (handler != null) {
      handler.closed(cause());
    }
  }

  private FdtException cause() {
    return failure != null
        ? failure
        : new FdtException(ErrorCode.UNREACHABLE, peer + " closed the connection");
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    end(Addresses.failure(peer, cause));
    context.close();
  }
}
