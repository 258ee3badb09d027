package io.fdt.core.node;

import io.fdt.core.buffer.BlockAllocator;
import io.fdt.core.engine.HostThreads;
import io.fdt.core.engine.PlatformThreads;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.Background;
import io.fdt.core.transport.EventLoops;
import io.fdt.core.transport.Routes;
import io.fdt.core.transport.Transport;
import io.fdt.core.transport.tcp.TcpTransport;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;

/**
 * The runtime of sessions: event loops, memory for blocks, and a transport. Client and server each
 * own one. Thread-safe.
 */
public final class Node implements AutoCloseable {
  /** The default transport. */
  public static final Transport.Factory TCP = TcpTransport::new;

  private final EventLoops loops;
  private final HostThreads threads;
  private final ByteBufAllocator allocator;
  private final Transport transport;

  private final Optional<Routes> routes;
  private final Names names;

  /** Resolves names. Thread-safe. */
  @FunctionalInterface
  interface Names {
    /** May query a name server. */
    InetAddress[] addresses(String host) throws UnknownHostException;
  }

  /**
   * @param name of threads
   * @param connectTimeout for each connection that it dials
   */
  public Node(String name, Duration connectTimeout, Transport.Factory factory) {
    this(name, connectTimeout, factory, Optional.empty());
  }

  /**
   * Dials through relays.
   *
   * @param factory of a transport that uses these routes
   */
  public static Node through(
      Routes routes, String name, Duration connectTimeout, Transport.Factory factory) {
    return new Node(name, connectTimeout, factory, Optional.of(routes));
  }

  private Node(
      String name, Duration connectTimeout, Transport.Factory factory, Optional<Routes> routes) {
    this.routes = routes;
    this.names = InetAddress::getAllByName;
    this.loops = new EventLoops(name);
    this.threads = PlatformThreads.INSTANCE;
    this.allocator = Pool.of(loops);
    this.transport = factory.create(loops, allocator, connectTimeout);
  }

  /** Uses given loops and threads, for example of a simulation. */
  public Node(
      EventLoops loops, HostThreads threads, ByteBufAllocator allocator, Transport transport) {
    this(loops, threads, allocator, transport, InetAddress::getAllByName);
  }

  /** Uses a given name service. */
  Node(
      EventLoops loops,
      HostThreads threads,
      ByteBufAllocator allocator,
      Transport transport,
      Names names) {
    this.routes = Optional.empty();
    this.names = names;
    this.loops = loops;
    this.threads = threads;
    this.allocator = allocator;
    this.transport = transport;
  }

  /**
   * The pool of the whole process. Each thread that has used a pool keeps a chunk of it, so that a
   * pool for each node would leak 16 MiB for each client that a program opens and closes.
   */
  private static final class Pool {
    private static ByteBufAllocator ofProcess;

    private Pool() {}

    static synchronized ByteBufAllocator of(EventLoops loops) {
      if (ofProcess == null) {
        ofProcess = BlockAllocator.create(loops.size());
      }
      return ofProcess;
    }
  }

  public EventLoops loops() {
    return loops;
  }

  /** The threads for blocking work. */
  public HostThreads threads() {
    return threads;
  }

  /**
   * The addresses of a host, in the order in which to try them. Blocks: not for an event loop.
   *
   * @throws FdtException UNREACHABLE for an unknown name; any failure of a relay
   */
  List<InetSocketAddress> addresses(String host, int port) throws FdtException {
    if (routes.isPresent()) {
      return routes.get().addresses(host, port);
    }
    try {
      return Stream.of(names.addresses(host))
          .map(address -> new InetSocketAddress(address, port))
          .toList();
    } catch (UnknownHostException e) {
      throw new FdtException(
          ErrorCode.UNREACHABLE, "unknown host '" + host + "': check its name", e);
    }
  }

  /**
   * The first of these addresses that accepts connections ({@link AddressRace}). Blocks: not for an
   * event loop.
   *
   * @throws FdtException the reason why none does
   */
  public InetSocketAddress reach(List<InetSocketAddress> addresses) throws FdtException {
    EventLoop loop = loops.next();
    try {
      return threads
          .get(AddressRace.run(loop, addresses, one -> transport.reach(loop, one), late -> {}))
          .address();
    } catch (InterruptedException e) {
      throw new FdtException(ErrorCode.CANCELLED, "the connection attempt was cancelled", e);
    } catch (ExecutionException e) {
      throw Dialer.asFdtException(e.getCause());
    }
  }

  /**
   * The route through a relay: to the relay, then onward.
   *
   * @param relay where it was dialed
   * @param further its permission to connect onward
   * @param ofData whether it is for data
   * @throws FdtException an earlier relay cannot be asked
   */
  public Routes.Route route(InetSocketAddress relay, Routes.Hop further, boolean ofData)
      throws FdtException {
    if (routes.isEmpty()) {
      return new Routes.Route(relay, List.of(further), () -> {});
    }
    Routes ways = routes.get();
    Routes.Route before = Background.join(ofData ? ways.ofData(relay) : ways.to(relay));
    List<Routes.Hop> hops = new ArrayList<>(before.hops());
    hops.add(further);
    return new Routes.Route(before.first(), hops, before.forget());
  }

  /** Whether data uses UDP to the first machine, which is the server itself. */
  boolean dialsServersOverUdp() {
    return routes.isEmpty() && transport.dialsDatagrams();
  }

  /** Whether data uses UDP on any part of its route. */
  public boolean usesDatagrams() {
    return transport.dialsDatagrams() || routes.map(Routes::hasDatagrams).orElse(false);
  }

  /** The allocator of blocks. */
  public ByteBufAllocator allocator() {
    return allocator;
  }

  public Transport transport() {
    return transport;
  }

  /** Stops its threads, after all connections were closed. Waits for at most 3 s. */
  @Override
  public void close() {
    loops.close();
  }
}
