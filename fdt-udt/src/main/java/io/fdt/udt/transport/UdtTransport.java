package io.fdt.udt.transport;

import io.fdt.core.error.FdtException;
import io.fdt.core.security.ClientTls;
import io.fdt.core.transport.Acceptor;
import io.fdt.core.transport.ChannelDialer;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.transport.DataConnection;
import io.fdt.core.transport.EventLoops;
import io.fdt.core.transport.ListenSettings;
import io.fdt.core.transport.Routes;
import io.fdt.core.transport.SecuredControl;
import io.fdt.core.transport.Transport;
import io.fdt.core.transport.tcp.Reception;
import io.fdt.core.transport.tcp.RoutedDataDialer;
import io.fdt.core.transport.tcp.TcpTransport;
import io.fdt.udt.protocol.UdtSettings;
import io.fdt.udt.protocol.WindowMemory;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Data streams over UDP, and control connections of another transport. Listeners accept data over
 * both, at the same port number; dialed data connections use UDP. Thread-safe.
 */
public final class UdtTransport implements Transport {
  /** Listens for data over TCP and UDP, dials over TCP. */
  public static final Transport.Factory TCP_AND_UDP = factory(Dials.TCP, Optional.empty());

  /** Data over UDP, control over TCP. */
  public static final Transport.Factory UDP = factory(Dials.UDP, Optional.empty());

  /** Data over TCP, and over UDP where that is faster. */
  public static final Transport.Factory AUTO = factory(Dials.BOTH, Optional.empty());

  /**
   * Dials through relays.
   *
   * @param overUdp whether data uses UDP to the first relay; control uses TCP
   */
  public static Transport.Factory through(Routes routes, boolean overUdp) {
    return factory(overUdp ? Dials.UDP : Dials.TCP, Optional.of(routes));
  }

  private static Transport.Factory factory(Dials dials, Optional<Routes> routes) {
    return (loops, allocator, timeout) ->
        new UdtTransport(
            loops,
            allocator,
            timeout,
            new TcpTransport(loops, allocator, timeout, routes),
            UdtSettings.DEFAULT.withSegment(UdtSettings.JUMBO_SEGMENT),
            dials,
            routes);
  }

  /** The transports of dialed data connections. */
  enum Dials {
    TCP,
    UDP,
    /** TCP, and UDP where that is faster. */
    BOTH
  }

  private static final int PORT_ATTEMPTS = 10;

  /**
   * The divisor for the share of the JVM's direct memory, which equals its heap, for windows: the
   * rest is for blocks.
   */
  private static final int MEMORY_PART = 4;

  private final EventLoops loops;
  private final ByteBufAllocator allocator;
  private final Duration connectTimeout;
  private final Transport control;
  private final UdtSettings settings;
  private final Dials dials;
  private final RoutedDataDialer dataDialer;
  private final WindowMemory memory =
      new SharedWindows(Runtime.getRuntime().maxMemory() / MEMORY_PART);

  /**
   * @param control of control connections, with the same loops and memory
   * @param dials transports of dialed data connections; it accepts both
   */
  public UdtTransport(
      EventLoops loops,
      ByteBufAllocator allocator,
      Duration connectTimeout,
      Transport control,
      UdtSettings settings,
      Dials dials) {
    this(loops, allocator, connectTimeout, control, settings, dials, Optional.empty());
  }

  /**
   * Dials through relays, as {@code control} does.
   *
   * @param routes for data connections over UDP; empty for direct connections
   */
  public UdtTransport(
      EventLoops loops,
      ByteBufAllocator allocator,
      Duration connectTimeout,
      Transport control,
      UdtSettings settings,
      Dials dials,
      Optional<Routes> routes) {
    this.loops = loops;
    this.allocator = allocator;
    this.connectTimeout = connectTimeout;
    this.control = control;
    this.settings = settings;
    this.dials = dials;
    this.dataDialer = new RoutedDataDialer(loops, this::dialChannel, connectTimeout, routes);
  }

  @Override
  public CompletableFuture<SecuredControl> dialControl(
      EventLoop loop,
      InetSocketAddress peer,
      ClientTls tls,
      String host,
      Consumer<Duration> reached,
      Function<ControlConnection, ControlConnection.Handler> handlers) {
    return control.dialControl(loop, peer, tls, host, reached, handlers);
  }

  @Override
  public CompletableFuture<DataConnection> dialData(InetSocketAddress peer) {
    return dials == Dials.UDP ? dataDialer.dialData(peer) : control.dialData(peer);
  }

  @Override
  public Optional<DataDialer> udp() {
    return dials == Dials.BOTH ? Optional.of(dataDialer) : Optional.empty();
  }

  private CompletableFuture<UdtChannel> dialChannel(
      EventLoop loop, InetSocketAddress peer, Consumer<Channel> prepare) {
    return UdtDial.dial(loop, peer, settings, memory, allocator, connectTimeout, prepare::accept);
  }

  @Override
  public boolean dialsDatagrams() {
    return dials == Dials.UDP;
  }

  @Override
  public CompletableFuture<Void> reach(EventLoop loop, InetSocketAddress peer) {
    return control.reach(loop, peer);
  }

  @Override
  public boolean hasCongestion(String name) {
    return control.hasCongestion(name);
  }

  @Override
  public Optional<ChannelDialer> datagrams() {
    return Optional.of(this::dialChannel);
  }

  @Override
  public Listener listen(InetSocketAddress address, ListenSettings listening, Acceptor acceptor)
      throws FdtException {
    for (int attempt = 1; ; attempt++) {
      Listener tcp = control.listen(address, listening, acceptor);
      UdpListener udp =
          new UdpListener(
              loops, allocator, settings, memory, new Reception(listening, acceptor, true));
      try {
        udp.start(new InetSocketAddress(address.getAddress(), tcp.address().getPort()));
        return new Both(tcp, udp);
      } catch (FdtException e) {
        tcp.close();
        if (address.getPort() != 0 || attempt == PORT_ATTEMPTS) {
          throw e;
        } // the port that is free for TCP is taken for UDP: tries another
      } catch (RuntimeException | Error e) {
        tcp.close();
        throw e;
      }
    }
  }

  private record Both(Listener tcp, UdpListener udp) implements Listener {
    @Override
    public InetSocketAddress address() {
      return tcp.address();
    }

    @Override
    public void stopListening() {
      tcp.stopListening();
      udp.stopListening();
    }

    @Override
    public void close() {
      tcp.close();
      udp.close();
    }
  }
}
