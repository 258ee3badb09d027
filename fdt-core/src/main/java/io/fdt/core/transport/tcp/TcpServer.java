package io.fdt.core.transport.tcp;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.ServerTls;
import io.fdt.core.security.Tls;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.transport.DataStream;
import io.fdt.core.transport.StreamSettings;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.JoinAnswer;
import io.fdt.core.wire.Preface;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Listens on one TCP port for control and data connections. Thread-safe. */
public final class TcpServer implements AutoCloseable {
  /** Decides what becomes of connections. Called on event loops. */
  public interface Acceptor {
    /** Why nobody from this address is taken now; empty to take the connection. */
    Optional<ErrorCode> refusal(InetAddress address);

    /** The handler of a new control connection, after its handshake. */
    ControlConnection.Handler control(ControlConnection connection, EventLoop loop);

    /**
     * A data connection wants to join a session.
     *
     * @throws FdtException to refuse it
     */
    Seat join(Join join, String peer) throws FdtException;
  }

  /** A place in a session for one data stream. */
  public record Seat(StreamSettings settings, Function<DataStream, DataStream.Handler> handlers) {}

  private static final Logger LOG = LoggerFactory.getLogger(TcpServer.class);

  /** How long a client has to say what its connection is for. */
  private static final Duration HANDSHAKE_DEADLINE = Duration.ofSeconds(10);

  /** Longest message of a client that has not said hello: names and a token, in bytes. */
  private static final int MAX_FIRST_MESSAGE = 4096;

  private final EventLoops loops;
  private final ByteBufAllocator allocator;
  private final CompletableFuture<ServerTls> tls;
  private final Acceptor acceptor;
  private final Duration handshakeDeadline;
  private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
  private Channel listener;

  /**
   * @param allocator where payloads go
   * @param tls connections that come before it is there wait for it
   */
  public TcpServer(
      EventLoops loops,
      ByteBufAllocator allocator,
      CompletableFuture<ServerTls> tls,
      Acceptor acceptor) {
    this(loops, allocator, tls, acceptor, HANDSHAKE_DEADLINE);
  }

  TcpServer(
      EventLoops loops,
      ByteBufAllocator allocator,
      CompletableFuture<ServerTls> tls,
      Acceptor acceptor,
      Duration handshakeDeadline) {
    this.loops = loops;
    this.allocator = allocator;
    this.tls = tls;
    this.acceptor = acceptor;
    this.handshakeDeadline = handshakeDeadline;
  }

  /**
   * Starts to listen.
   *
   * @param address port 0 for any free one
   * @throws FdtException the port is taken or may not be used, the address is not of this machine
   */
  public void start(InetSocketAddress address) throws FdtException {
    var binding =
        new ServerBootstrap()
            .group(loops.group())
            .channel(loops.serverSocketChannel())
            .option(ChannelOption.SO_REUSEADDR, true)
            .option(ChannelOption.SO_BACKLOG, 1024)
            .childOption(ChannelOption.ALLOCATOR, allocator)
            .childOption(ChannelOption.SO_KEEPALIVE, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel channel) {
                    open.add(channel);
                    channel.config().setRecvByteBufAllocator(new FrameReadAllocator());
                    InetAddress from = channel.remoteAddress().getAddress();
                    Optional<ErrorCode> refusal = acceptor.refusal(from);
                    channel
                        .pipeline()
                        .addLast(
                            refusal.isPresent() ? new Refusal(refusal.get()) : new Reception());
                  }
                })
            .bind(address)
            .awaitUninterruptibly();
    if (!binding.isSuccess()) {
      throw new FdtException(
          ErrorCode.USAGE,
          "cannot listen on %s: %s"
              .formatted(Addresses.text(address), binding.cause().getMessage()),
          binding.cause());
    }
    listener = binding.channel();
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return (InetSocketAddress) listener.localAddress();
  }

  /** Takes no more connections; those that are open stay. Idempotent. */
  public void stopListening() {
    if (listener != null) {
      listener.close().awaitUninterruptibly(2, TimeUnit.SECONDS);
    }
  }

  /** Closes everything. Idempotent. */
  @Override
  public void close() {
    stopListening();
    open.close().awaitUninterruptibly(2, TimeUnit.SECONDS);
  }

  /** Finds out what a client wants of its connection. */
  private final class Reception extends PrefaceHandler {
    private boolean isData;

    Reception() {
      super(handshakeDeadline);
    }

    @Override
    void recognised(ChannelHandlerContext context) {
      ByteBuf answer = context.alloc().buffer(Preface.LENGTH);
      Preface.of(Preface.Kind.ANSWER).write(answer);
      context.writeAndFlush(answer);
    }

    @Override
    boolean preface(ChannelHandlerContext context, Preface preface) throws FdtException {
      isData = preface.kind() == Preface.Kind.DATA;
      if (preface.kind() == Preface.Kind.CONTROL) {
        return secureWhenReady(context.channel());
      }
      if (!isData) {
        throw new FdtException(ErrorCode.PROTOCOL, "a client that calls itself a server");
      }
      return false;
    }

    private boolean secureWhenReady(Channel channel) throws FdtException {
      if (!tls.isDone()) {
        Runnable again = () -> channel.pipeline().fireChannelRead(Unpooled.EMPTY_BUFFER);
        tls.whenComplete((ready, defect) -> channel.eventLoop().execute(again));
        return false;
      }
      if (tls.isCompletedExceptionally()) {
        throw new FdtException(ErrorCode.INTERNAL, "the server has no TLS");
      }
      secure(channel, tls.join());
      return true;
    }

    private void secure(Channel channel, ServerTls ready) {
      SslHandler handler = ready.handler(Tls.Purpose.CONTROL, channel.alloc());
      handler.setHandshakeTimeoutMillis(handshakeDeadline.toMillis());
      ControlHandshake handshake = new ControlHandshake(channel);
      TcpControl control = new TcpControl(channel, handler, handshake, MAX_FIRST_MESSAGE);
      handshake.control = control;
      channel.pipeline().addLast(handler, control);
    }

    @Override
    boolean more(ChannelHandlerContext context, ByteBuf in) throws FdtException {
      if (!isData) {
        return tls.isDone() && secureWhenReady(context.channel());
      }
      if (in.readableBytes() < Join.LENGTH) {
        return false;
      }
      Join join = Join.read(in);
      Seat seat = acceptor.join(join, Addresses.text(context.channel().remoteAddress()));
      answer(context, JoinAnswer.ACCEPTED);
      TcpStream stream = new TcpStream(context.channel(), join.stream(), seat.settings());
      stream.setHandler(seat.handlers().apply(stream));
      context.pipeline().addLast(stream);
      return true;
    }

    @Override
    void refused(ChannelHandlerContext context, FdtException cause) {
      LOG.info(
          "connection refused peer={} reason={}",
          Addresses.text(context.channel().remoteAddress()),
          cause.getMessage());
      if (isData) {
        answer(context, JoinAnswer.refused(cause.code()));
      }
    }

    private void answer(ChannelHandlerContext context, JoinAnswer answer) {
      ByteBuf bytes = context.alloc().buffer(JoinAnswer.LENGTH);
      answer.write(bytes);
      context.writeAndFlush(bytes);
    }
  }

  /** Finds a handler for a control connection once it is secured. */
  private final class ControlHandshake implements TcpControl.Handshake {
    private final Channel channel;
    private TcpControl control;

    ControlHandshake(Channel channel) {
      this.channel = channel;
    }

    @Override
    public void secured(List<X509Certificate> certificates) {
      control.setHandler(acceptor.control(control, channel.eventLoop()));
    }

    @Override
    public void refused(FdtException cause) {
      LOG.info("connection refused peer={} reason={}", control.peer(), cause.getMessage());
    }
  }
}
