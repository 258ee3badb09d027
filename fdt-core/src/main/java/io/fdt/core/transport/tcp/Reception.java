package io.fdt.core.transport.tcp;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.transport.Acceptor;
import io.fdt.core.transport.ListenSettings;
import io.fdt.core.transport.tcp.socket.FrameReadAllocator;
import io.netty.channel.Channel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetAddress;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Accepts or refuses the connections of one listener, over TCP or any other channel that carries a
 * stream of bytes. Thread-safe.
 */
public final class Reception {
  /** Most refused connections that still receive the reason. */
  private static final int MAX_REFUSED = 64;

  private final Acceptor acceptor;
  private final ServerHandshake.Host host;
  private final UnauthenticatedConnections unauthenticated;
  private final UnauthenticatedConnections refused = new UnauthenticatedConnections(MAX_REFUSED);
  private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);

  /**
   * @param dataOnly whether control connections are refused
   */
  public Reception(ListenSettings settings, Acceptor acceptor, boolean dataOnly) {
    this.acceptor = acceptor;
    this.unauthenticated = new UnauthenticatedConnections(settings.maxUnauthenticated());
    this.host =
        new ServerHandshake.Host(
            settings.tls(), acceptor, unauthenticated, settings.handshakeDeadline(), dataOnly);
  }

  /** Accepts a new connection before anything is read from it. On its event loop. */
  public void welcome(Channel channel, InetAddress from) {
    open.add(channel);
    channel.config().setRecvByteBufAllocator(new FrameReadAllocator());
    Optional<ErrorCode> refusal = acceptor.refusal(from);
    // Refused connections are counted apart and take no slot.
    (refusal.isPresent() ? refused : unauthenticated).add(channel, from);
    channel
        .pipeline()
        .addLast(
            refusal.isPresent()
                ? new Refusal(refusal.get(), refused, acceptor)
                : new ServerHandshake(host));
  }

  /** Closes all connections; waits for at most 2 s. */
  public void close() {
    open.close().awaitUninterruptibly(2, TimeUnit.SECONDS);
  }
}
