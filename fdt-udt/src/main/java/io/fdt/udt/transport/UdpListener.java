package io.fdt.udt.transport;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.transport.EventLoops;
import io.fdt.core.transport.tcp.Reception;
import io.fdt.udt.protocol.UdtSettings;
import io.fdt.udt.protocol.WindowMemory;
import io.fdt.udt.protocol.packet.Cookies;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelFuture;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * One UDP port that accepts data connections. With epoll it has a socket for each event loop, and
 * the system delivers all packets of one peer to the same one. Thread-safe.
 */
final class UdpListener {
  private final EventLoops loops;
  private final ByteBufAllocator allocator;
  private final UdtSettings settings;
  private final Reception reception;
  private final WindowMemory memory;
  private final List<UdtPort> ports = new ArrayList<>();
  private final Set<UdtPort> idle = ConcurrentHashMap.newKeySet();

  UdpListener(
      EventLoops loops,
      ByteBufAllocator allocator,
      UdtSettings settings,
      WindowMemory memory,
      Reception reception) {
    this.memory = memory;
    this.loops = loops;
    this.allocator = allocator;
    this.settings = settings;
    this.reception = reception;
  }

  /**
   * @throws FdtException the port is taken or not permitted
   */
  void start(InetSocketAddress address) throws FdtException {
    byte[] secret = new byte[32];
    new SecureRandom().nextBytes(secret);
    boolean shared = EventLoops.isNative(loops.next());
    for (int i = 0; i < (shared ? loops.size() : 1); i++) {
      UdpSocket socket = new UdpSocket(loops.next());
      UdtPort port =
          new UdtPort(socket, new Cookies(secret), settings, memory, allocator, reception::welcome);
      ChannelFuture binding = socket.bind(address, shared).awaitUninterruptibly();
      if (!binding.isSuccess()) {
        close();
        throw new FdtException(
            ErrorCode.USAGE,
            "cannot listen on UDP port %d: %s; choose another port, or use %s"
                .formatted(address.getPort(), binding.cause().getMessage(), Setting.WITHOUT_UDP),
            binding.cause());
      }
      socket.loop().submit(socket::tune).awaitUninterruptibly(2, TimeUnit.SECONDS);
      ports.add(port);
    }
  }

  /** Accepts no more connections; open ones stay. Idempotent. */
  void stopListening() {
    for (UdtPort port : ports) {
      port.stop(() -> idle(port));
    }
  }

  /**
   * Closes the sockets together: the system would deliver packets of a remaining one to another.
   */
  private void idle(UdtPort port) {
    idle.add(port);
    if (idle.size() == ports.size()) {
      ports.forEach(UdtPort::closeSocket);
    }
  }

  /** Closes the port and all its connections. Idempotent. */
  void close() {
    stopListening();
    reception.close();
    for (UdtPort port : ports) {
      port.close();
    }
  }
}
