package io.fdt.webdav;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.ServerTls;
import io.fdt.core.security.Tls;
import io.fdt.core.transport.tcp.TcpTransport;
import io.fdt.core.transport.tcp.UnauthenticatedConnections;
import io.fdt.core.transport.tcp.socket.AcceptFailures;
import io.fdt.core.transport.tcp.socket.Addresses;
import io.fdt.core.transport.tcp.socket.LingeringClose;
import io.fdt.server.web.WebHost;
import io.fdt.server.web.WebPort;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/**
 * One TCP port that answers HTTP/1.1 over TLS 1.3. Thread-safe.
 *
 * <p>Connections without a running request are bounded: a new one evicts an old one. A request
 * counts as a client of the server while it runs.
 */
final class HttpPort implements WebPort {
  /** Bytes of answers that wait for a slow client before its thread waits. */
  private static final WriteBufferWaterMark AHEAD = new WriteBufferWaterMark(512 << 10, 1 << 20);

  private final WebHost host;
  private final Methods methods;
  private final UnauthenticatedConnections idle;
  private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
  private Channel listener;

  private HttpPort(WebHost host) {
    this.host = host;
    this.idle = new UnauthenticatedConnections(host.idleConnections());
    this.methods = new Methods(host);
  }

  static HttpPort open(InetSocketAddress address, WebHost host) throws FdtException {
    if (address.isUnresolved()) {
      throw new FdtException(
          ErrorCode.USAGE,
          "cannot serve HTTP on %s: unknown host".formatted(address.getHostString()));
    }
    HttpPort port = new HttpPort(host);
    port.listen(address);
    return port;
  }

  private void listen(InetSocketAddress address) throws FdtException {
    var binding =
        new ServerBootstrap()
            .group(host.node().loops().group())
            .channel(TcpTransport.serverSocketChannel())
            .option(ChannelOption.SO_REUSEADDR, true)
            .option(ChannelOption.SO_BACKLOG, 1024)
            .childOption(ChannelOption.ALLOCATOR, host.node().allocator())
            .childOption(ChannelOption.SO_KEEPALIVE, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.AUTO_READ, false)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, AHEAD)
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel channel) {
                    welcome(channel, channel.remoteAddress().getAddress());
                  }
                })
            .bind(address)
            .awaitUninterruptibly();
    if (!binding.isSuccess()) {
      throw new FdtException(
          ErrorCode.USAGE,
          "cannot serve HTTP on %s: %s"
              .formatted(Addresses.text(address), Addresses.bindReason(binding.cause())),
          binding.cause());
    }
    listener = binding.channel();
    listener.pipeline().addLast(new AcceptFailures());
  }

  private void welcome(Channel channel, InetAddress from) {
    if (host.refusal().apply(from).isPresent()) {
      host.refusals().count(host.refusal().apply(from).get());
      channel.close();
      return;
    }
    open.add(channel);
    idle.add(channel, from);
    host.tls()
        .whenComplete(
            (tls, failure) ->
                channel
                    .eventLoop()
                    .execute(
                        () -> {
                          if (failure != null) {
                            channel.close();
                          } else {
                            begin(channel, tls);
                          }
                        }));
  }

  private void begin(Channel channel, ServerTls tls) {
    SslHandler ssl = tls.handler(Tls.Purpose.WEB, false, channel.alloc());
    ssl.setHandshakeTimeoutMillis(host.handshake().toMillis());
    channel
        .pipeline()
        .addLast(
            new LingeringClose(),
            ssl,
            new StrictRequestDecoder(),
            new HttpResponseEncoder(),
            new FlowControlHandler(),
            new HttpConnection(host, methods, idle));
  }

  @Override
  public InetSocketAddress address() {
    return (InetSocketAddress) listener.localAddress();
  }

  @Override
  public void close() {
    if (listener != null) {
      listener.close().awaitUninterruptibly(2, TimeUnit.SECONDS);
    }
    for (Channel channel : open) {
      channel.eventLoop().execute(() -> LingeringClose.cutShort(channel));
    }
    open.newCloseFuture().awaitUninterruptibly(2, TimeUnit.SECONDS);
  }
}
