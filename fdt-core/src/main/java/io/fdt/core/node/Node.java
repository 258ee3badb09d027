package io.fdt.core.node;

import io.fdt.core.buffer.BlockAllocator;
import io.fdt.core.transport.EventLoops;
import io.fdt.core.transport.Transport;
import io.fdt.core.transport.tcp.TcpTransport;
import io.fdt.core.transport.udp.UdtTransport;
import io.fdt.core.udt.UdtSettings;
import io.netty.buffer.ByteBufAllocator;
import java.time.Duration;

/**
 * What a program needs to be an end of sessions: event loops, memory for blocks, and a transport.
 * Client and server each own one. Thread-safe.
 */
public final class Node implements AutoCloseable {
  /** The transport that is used unless another one is asked for. */
  public static final Transport.Factory TCP = TcpTransport::new;

  /** Data over TCP and UDP where it listens, over TCP where it dials. */
  public static final Transport.Factory TCP_AND_UDP =
      (loops, allocator, timeout) -> udt(loops, allocator, timeout, false);

  /** Data over UDP, control over TCP. */
  public static final Transport.Factory UDT =
      (loops, allocator, timeout) -> udt(loops, allocator, timeout, true);

  private static Transport udt(
      EventLoops loops, ByteBufAllocator allocator, Duration timeout, boolean dialsUdp) {
    Transport control = TCP.create(loops, allocator, timeout);
    return new UdtTransport(loops, allocator, timeout, control, UdtSettings.DEFAULT, dialsUdp);
  }

  private final EventLoops loops;
  private final ByteBufAllocator allocator;
  private final Transport transport;

  /**
   * @param name of threads
   * @param connectTimeout for each connection that it dials
   */
  public Node(String name, Duration connectTimeout, Transport.Factory factory) {
    this.loops = new EventLoops(name);
    this.allocator = BlockAllocator.create(loops.size());
    this.transport = factory.create(loops, allocator, connectTimeout);
  }

  public EventLoops loops() {
    return loops;
  }

  /** Where blocks get their memory. */
  public ByteBufAllocator allocator() {
    return allocator;
  }

  public Transport transport() {
    return transport;
  }

  /** Stops its threads; connections must be closed before. Waits for at most 3 s. */
  @Override
  public void close() {
    loops.close();
  }
}
