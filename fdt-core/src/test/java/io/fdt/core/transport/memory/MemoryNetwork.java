package io.fdt.core.transport.memory;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.transport.DataStream;
import io.fdt.core.transport.EventLoops;
import io.fdt.core.transport.Transport;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The ports of a network that exists in memory only. Transports of the same network reach each
 * other; nothing touches a socket.
 *
 * <pre>
 *   MemoryNetwork network = new MemoryNetwork();
 *   FdtServer.builder().transport(network::create)
 *   FdtClient.builder("127.0.0.1").transport(network::create)
 * </pre>
 *
 * <p>Every address is loopback, so only port numbers count. Thread-safe.
 */
public final class MemoryNetwork {
  /** Above the ports that Linux gives away, so that no socket has one of them by chance. */
  private static final int FIRST_FREE_PORT = 61_000;

  private static final int PORTS = 1 << 16;

  /** What lies between the ends of data streams, and does to frames what it wants. */
  @FunctionalInterface
  public interface Middle {
    /**
     * A frame was sent.
     *
     * @param stream the end that sent it
     * @param onward takes what arrives at the other end; also later, and more than once
     */
    void frame(DataStream stream, byte[] frame, Consumer<byte[]> onward);
  }

  private final Map<Integer, MemoryListener> listeners = new HashMap<>();
  private final Set<MemoryLink> links = new LinkedHashSet<>();
  private final Set<MemoryLink> streams = new LinkedHashSet<>();
  private int lastPort = FIRST_FREE_PORT;
  private int streamsEver;
  private Middle middle;

  /** A transport on this network; see {@link Transport.Factory}. */
  public Transport create(EventLoops loops, ByteBufAllocator allocator, Duration connectTimeout) {
    return new MemoryTransport(this, loops, allocator, connectTimeout, Optional.empty());
  }

  /** The same for a program that proves to have a key wherever it dials. */
  public Transport create(
      EventLoops loops, ByteBufAllocator allocator, Duration connectTimeout, Fingerprint key) {
    return new MemoryTransport(this, loops, allocator, connectTimeout, Optional.of(key));
  }

  /** From now on all frames of data streams come by here. */
  public synchronized void setMiddle(Middle through) {
    middle = through;
  }

  synchronized Optional<Middle> middle() {
    return Optional.ofNullable(middle);
  }

  /** Breaks all data streams that are open. Returns how many. */
  public int cutStreams() {
    return cut(streams);
  }

  /** Breaks all connections, those for control too. Returns how many. */
  public int cutConnections() {
    return cut(links);
  }

  /** Breaks the connections between such loops: that of the dialer, and that of the listener. */
  public int cutConnections(BiPredicate<EventLoop, EventLoop> between) {
    return cut(links, link -> between.test(link.dialer().loop(), link.acceptor().loop()));
  }

  /** Breaks one connection, if there is any. */
  public void cutOne(Random random) {
    MemoryLink broken;
    synchronized (this) {
      if (links.isEmpty()) {
        return;
      }
      broken = List.copyOf(links).get(random.nextInt(links.size()));
    }
    broken.close();
  }

  private int cut(Set<MemoryLink> open) {
    return cut(open, link -> true);
  }

  private int cut(Set<MemoryLink> open, Predicate<MemoryLink> which) {
    List<MemoryLink> broken;
    synchronized (this) {
      broken = open.stream().filter(which).toList();
    }
    broken.forEach(MemoryLink::close);
    return broken.size();
  }

  /** Connections that are open now between such loops, as in {@link #cutConnections}. */
  public synchronized long connections(BiPredicate<EventLoop, EventLoop> between) {
    return links.stream()
        .filter(link -> between.test(link.dialer().loop(), link.acceptor().loop()))
        .count();
  }

  /** Data streams that have ever been part of a session. */
  public synchronized int streamsEver() {
    return streamsEver;
  }

  synchronized void opened(MemoryLink link) {
    links.add(link);
    link.whenClosed(() -> closed(link));
  }

  synchronized void streamOpened(MemoryLink link) {
    if (links.contains(link)) {
      streams.add(link);
      streamsEver++;
    }
  }

  private synchronized void closed(MemoryLink link) {
    links.remove(link);
    streams.remove(link);
  }

  /** Gives the listener its port. */
  synchronized InetSocketAddress open(InetSocketAddress wanted, MemoryListener listener)
      throws FdtException {
    int port = wanted.getPort() == 0 ? nextFreePort() : wanted.getPort();
    if (listeners.putIfAbsent(port, listener) != null) {
      throw new FdtException(ErrorCode.USAGE, "cannot listen on port " + port + ": it is taken");
    }
    return new InetSocketAddress(wanted.getAddress(), port);
  }

  /** Gives the port back, unless it belongs to another listener by now. */
  synchronized void close(int port, MemoryListener listener) {
    listeners.remove(port, listener);
  }

  synchronized MemoryListener at(InetSocketAddress address) throws FdtException {
    MemoryListener listener = listeners.get(address.getPort());
    if (listener == null) {
      throw new FdtException(ErrorCode.UNREACHABLE, "nobody listens on port " + address.getPort());
    }
    return listener;
  }

  /** The address of one end that dials. */
  synchronized InetSocketAddress dialerAddress() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), nextFreePort());
  }

  private int nextFreePort() {
    do {
      lastPort = lastPort + 1 < PORTS ? lastPort + 1 : FIRST_FREE_PORT;
    } while (listeners.containsKey(lastPort));
    return lastPort;
  }
}
