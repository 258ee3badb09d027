package io.fdt.core.transport.memory;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.security.ServerTls;
import io.fdt.core.transport.Acceptor;
import io.fdt.core.transport.EventLoops;
import io.fdt.core.transport.ListenSettings;
import io.fdt.core.transport.StreamSlot;
import io.fdt.core.transport.Transport;
import io.fdt.core.wire.Join;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A port of a {@link MemoryNetwork}. */
final class MemoryListener implements Transport.Listener {
  /** Longest message of a dialer that is not known. */
  private static final int MAX_FIRST_MESSAGE = 4096;

  private final MemoryNetwork network;
  private final EventLoops loops;
  private final ByteBufAllocator allocator;
  private final ListenSettings settings;
  private final Acceptor acceptor;
  private final Set<MemoryLink> open = new HashSet<>();
  private volatile InetSocketAddress address;
  private boolean stopped;

  MemoryListener(
      MemoryNetwork network,
      EventLoops loops,
      ByteBufAllocator allocator,
      ListenSettings settings,
      Acceptor acceptor) {
    this.network = network;
    this.loops = loops;
    this.allocator = allocator;
    this.settings = settings;
    this.acceptor = acceptor;
  }

  void start(InetSocketAddress wanted) throws FdtException {
    address = network.open(wanted, this);
  }

  /** A new connection, on which nothing was said yet. */
  MemoryLink accept(EventLoop dialerLoop, InetSocketAddress dialed, Optional<Fingerprint> dialerKey)
      throws FdtException {
    InetSocketAddress from = network.dialerAddress();
    Optional<ErrorCode> refusal = acceptor.refusal(from.getAddress());
    MemoryLink link =
        new MemoryLink(dialerLoop, from, dialed, dialerKey, this, loops.next(), refusal);
    synchronized (this) {
      if (stopped) {
        throw new FdtException(ErrorCode.UNREACHABLE, "nobody listens on " + address);
      }
      open.add(link);
    }
    link.whenClosed(() -> forget(link));
    network.opened(link);
    return link;
  }

  private synchronized void forget(MemoryLink link) {
    open.remove(link);
  }

  MemoryNetwork network() {
    return network;
  }

  /** The certificates that a peer would see, once they are there. */
  CompletableFuture<List<X509Certificate>> certificates() {
    return settings.tls().thenApply(ServerTls::certificates);
  }

  /** The dialer wants a control connection, and has seen the certificates. */
  void control(MemoryLink link) {
    Tasks.run(
        link.acceptor().loop(),
        () -> {
          MemoryControl control =
              new MemoryControl(link.acceptor(), MAX_FIRST_MESSAGE, allocator, link.dialerKey());
          try {
            control.setHandler(acceptor.control(control, link.acceptor().loop()));
            control.start();
          } catch (RuntimeException | Error e) {
            control.fail(FdtException.unforeseen("control connection", e));
          }
        });
  }

  /** The dialer has spoken on a connection that is not taken. */
  FdtException refuse(ErrorCode why) {
    acceptor.refused(why);
    return new FdtException(why, address + " refuses the connection: " + why);
  }

  /**
   * The dialer wants to join a session.
   *
   * @param answer gets why it may not, on the listener's loop
   */
  void join(MemoryLink link, Join join, boolean encrypted, Consumer<Optional<ErrorCode>> answer) {
    EventLoop loop = link.acceptor().loop();
    Tasks.run(
        loop,
        () -> {
          if (link.refusal().isPresent()) {
            answer.accept(Optional.of(refuse(link.refusal().get()).code()));
            return;
          }
          CompletableFuture<Void> begun =
              acceptor.awaitSession(join.session(), link.acceptor().peer().getAddress());
          link.whenClosed(() -> begun.cancel(false));
          begun.whenComplete(
              (nothing, cancelled) ->
                  Tasks.run(loop, () -> answer.accept(decide(link, join, encrypted))));
        });
  }

  private Optional<ErrorCode> decide(MemoryLink link, Join join, boolean encrypted) {
    if (link.isClosed()) {
      return Optional.of(ErrorCode.UNREACHABLE);
    }
    try {
      StreamSlot slot = acceptor.join(join, link.acceptor().peerText(), encrypted);
      open(link, join, slot);
      return Optional.empty();
    } catch (FdtException e) {
      return Optional.of(e.code());
    }
  }

  private void open(MemoryLink link, Join join, StreamSlot slot) throws FdtException {
    MemoryStream stream =
        new MemoryStream(link.acceptor(), join.stream(), slot.settings().maxPayload(), allocator);
    try {
      stream.setHandler(slot.handlers().apply(stream));
    } catch (RuntimeException | Error e) {
      stream.abandon();
      slot.giveBack().run();
      throw FdtException.unforeseen("stream " + join.stream(), e);
    }
    network.streamOpened(link);
    stream.framesFollow();
  }

  @Override
  public InetSocketAddress address() {
    return address;
  }

  @Override
  public void stopListening() {
    synchronized (this) {
      stopped = true;
    }
    network.close(address.getPort(), this);
  }

  @Override
  public void close() {
    stopListening();
    List<MemoryLink> left;
    synchronized (this) {
      left = new ArrayList<>(open);
    }
    left.forEach(MemoryLink::close);
  }
}
