package io.fdt.core.transport.memory;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.ClientTls;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.transport.Acceptor;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.transport.DataConnection;
import io.fdt.core.transport.EventLoops;
import io.fdt.core.transport.ListenSettings;
import io.fdt.core.transport.SecuredControl;
import io.fdt.core.transport.Transport;
import io.fdt.core.wire.ControlFrames;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A transport without sockets: connections are queues in memory, on a {@link MemoryNetwork} that
 * both sides share. Frames and messages have the bytes, limits and checksums of the wire. There is
 * no TLS: a peer sees the certificates of the listener, and encrypted streams are only marked so.
 *
 * <p>Peers belong to one program: a dialer has the key that it says, and the limits of
 * unauthenticated connections are not looked at. Thread-safe.
 */
final class MemoryTransport implements Transport {
  private final MemoryNetwork network;
  private final EventLoops loops;
  private final ByteBufAllocator allocator;
  private final Duration connectTimeout;
  private final Optional<Fingerprint> key;

  MemoryTransport(
      MemoryNetwork network,
      EventLoops loops,
      ByteBufAllocator allocator,
      Duration connectTimeout,
      Optional<Fingerprint> key) {
    this.key = key;
    this.network = network;
    this.loops = loops;
    this.allocator = allocator;
    this.connectTimeout = connectTimeout;
  }

  @Override
  public CompletableFuture<SecuredControl> dialControl(
      EventLoop loop,
      InetSocketAddress peer,
      ClientTls tls,
      String host,
      Consumer<Duration> reached,
      Function<ControlConnection, ControlConnection.Handler> handlers) {
    CompletableFuture<SecuredControl> result = new CompletableFuture<>();
    Tasks.run(
        loop,
        () -> {
          try {
            MemoryLink link = network.at(peer).accept(loop, peer, key);
            reached.accept(Duration.ZERO);
            greet(link, handlers, result);
          } catch (FdtException e) {
            result.completeExceptionally(e);
          } catch (RuntimeException | Error e) {
            result.completeExceptionally(FdtException.unforeseen("connection to " + peer, e));
          }
        });
    return result;
  }

  private void greet(
      MemoryLink link,
      Function<ControlConnection, ControlConnection.Handler> handlers,
      CompletableFuture<SecuredControl> result) {
    EventLoop loop = link.dialer().loop();
    if (link.refusal().isPresent()) {
      result.completeExceptionally(link.listener().refuse(link.refusal().get()));
      link.close();
      return;
    }
    MemoryControl control =
        new MemoryControl(link.dialer(), ControlFrames.MAX_LENGTH, allocator, Optional.empty());
    link.listener()
        .certificates()
        .orTimeout(connectTimeout.toNanos(), TimeUnit.NANOSECONDS)
        .whenComplete(
            (certificates, failure) ->
                Tasks.run(
                    loop,
                    () -> {
                      if (failure == null) {
                        secured(link, control, certificates, handlers, result);
                      } else {
                        link.close();
                        result.completeExceptionally(noAnswer(link));
                      }
                    }));
    link.dialer().whenClosed(() -> result.completeExceptionally(noAnswer(link)));
  }

  private static void secured(
      MemoryLink link,
      MemoryControl control,
      List<X509Certificate> certificates,
      Function<ControlConnection, ControlConnection.Handler> handlers,
      CompletableFuture<SecuredControl> result) {
    Runnable begin = () -> control.setHandler(handlers.apply(control));
    EventLoop loop = link.dialer().loop();
    result.complete(
        new SecuredControl(
            control,
            certificates,
            () -> {
              if (loop.inEventLoop()) {
                begin.run();
              } else {
                loop.execute(begin);
              }
            }));
    control.start();
    link.listener().control(link);
  }

  static FdtException noAnswer(MemoryLink link) {
    return new FdtException(
        link.isClosed() ? ErrorCode.UNREACHABLE : ErrorCode.TIMEOUT,
        link.dialer().peerText() + " did not answer");
  }

  @Override
  public CompletableFuture<DataConnection> dialData(InetSocketAddress peer) {
    EventLoop loop = loops.next();
    CompletableFuture<DataConnection> result = new CompletableFuture<>();
    Tasks.run(
        loop,
        () -> {
          try {
            MemoryLink link = network.at(peer).accept(loop, peer, key);
            result.complete(new MemoryDataConnection(link, allocator, connectTimeout));
          } catch (FdtException e) {
            result.completeExceptionally(e);
          }
        });
    return result;
  }

  @Override
  public Listener listen(InetSocketAddress address, ListenSettings settings, Acceptor acceptor)
      throws FdtException {
    MemoryListener listener = new MemoryListener(network, loops, allocator, settings, acceptor);
    listener.start(address);
    return listener;
  }
}
