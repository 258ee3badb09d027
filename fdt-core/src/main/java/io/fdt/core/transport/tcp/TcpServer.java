package io.fdt.core.transport.tcp;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.ServerTls;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.transport.DataStream;
import io.fdt.core.transport.StreamSettings;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.SessionId;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Listens on one TCP port for control and data connections. Thread-safe. */
public final class TcpServer implements AutoCloseable {
  /** Decides what becomes of connections. Called on event loops. */
  public interface Acceptor {
    /** Why nobody from this address is taken now; empty to take the connection. */
    Optional<ErrorCode> refusal(InetAddress address);

    /** Somebody who was refused so has asked for something, and not only opened a connection. */
    default void refused(ErrorCode why) {}

    /** The handler of a new control connection, after its handshake. */
    ControlConnection.Handler control(ControlConnection connection, EventLoop loop);

    /**
     * A data connection is about to join this session.
     *
     * @return completes, on any thread and within a deadline, when it is to be decided whether it
     *     may, and not before the session has begun if that is to be expected; until then nothing
     *     more is read from the connection. Cancelled when the connection has gone
     */
    default CompletableFuture<Void> awaitSession(SessionId session, InetAddress address) {
      return CompletableFuture.completedFuture(null);
    }

    /**
     * A data connection joins a session.
     *
     * @param encrypted whether it is within TLS
     * @throws FdtException to refuse it
     */
    Seat join(Join join, String peer, boolean encrypted) throws FdtException;
  }

  /**
   * A place in a session for one data stream.
   *
   * @param handlers makes the handler of the stream; called at most once
   * @param giveBack to be called instead when there will be no stream
   */
  public record Seat(
      StreamSettings settings,
      Function<DataStream, DataStream.Handler> handlers,
      Runnable giveBack) {}

  private final EventLoops loops;
  private final ByteBufAllocator allocator;
  private final CompletableFuture<ServerTls> tls;
  private final Acceptor acceptor;

  /** Connections that are told no, and then closed. */
  private static final int MAX_REFUSED = 64;

  private final UnauthenticatedConnections strangers;
  private final UnauthenticatedConnections refused = new UnauthenticatedConnections(MAX_REFUSED);
  private final Duration handshakeDeadline;
  private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
  private Channel listener;

  /**
   * @param allocator where payloads go
   * @param tls connections that come before it is there wait for it
   * @param maxStrangers connections whose clients have not proven anything yet, 2 or more: half of
   *     them for one address; beyond that one of the oldest goes
   * @param handshakeDeadline how long a client has for each step until it is known
   */
  public TcpServer(
      EventLoops loops,
      ByteBufAllocator allocator,
      CompletableFuture<ServerTls> tls,
      Acceptor acceptor,
      int maxStrangers,
      Duration handshakeDeadline) {
    this.strangers = new UnauthenticatedConnections(maxStrangers);
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
    ServerHandshake.Host host =
        new ServerHandshake.Host(tls, acceptor, strangers, handshakeDeadline);
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
                    // Who is refused anyway keeps nobody out who may come in.
                    (refusal.isPresent() ? refused : strangers).add(channel, from);
                    channel
                        .pipeline()
                        .addLast(
                            refusal.isPresent()
                                ? new Refusal(refusal.get(), refused, acceptor)
                                : new ServerHandshake(host));
                  }
                })
            .bind(address)
            .awaitUninterruptibly();
    if (!binding.isSuccess()) {
      throw new FdtException(
          ErrorCode.USAGE,
          "cannot listen on %s: %s"
              .formatted(Addresses.text(address), Addresses.bindReason(binding.cause())),
          binding.cause());
    }
    listener = binding.channel();
    listener.pipeline().addLast(new AcceptFailures()); // behind Netty's own, which pauses for 1 s
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
}
