package io.fdt.core.transport;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * The threads that move bytes between sockets and memory: epoll where the platform supports it, NIO
 * elsewhere.
 *
 * <p>Thread-safe. Owned by one client or one server, never shared.
 */
public final class EventLoops implements AutoCloseable {
  /** Half of the cores, at most 8: one loop moves about 20 Gbit/s, and disks need cores too. */
  private static final int DEFAULT_THREADS =
      Math.max(1, Math.min(8, Runtime.getRuntime().availableProcessors() / 2));

  private final EventLoopGroup group;

  /**
   * A loop that always closes its channels when it ends. Netty's own loop checks for shutdown, runs
   * its tasks, and checks again; a shutdown in between leaves its channels open, without
   * notification.
   */
  private static final class ClosingLoop extends SingleThreadIoEventLoop {
    ClosingLoop(IoEventLoopGroup group, Executor executor, IoHandlerFactory handlers) {
      super(group, executor, handlers);
    }

    @Override
    protected void run() {
      super.run();
      if (isShuttingDown()) { // tasks still run
        ioHandler().prepareToDestroy();
      }
    }
  }

  /**
   * @param name prefix of the threads' names
   */
  public EventLoops(String name) {
    this(name, isNative());
  }

  private EventLoops(String name, boolean epoll) {
    IoHandlerFactory handlers = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    this.group =
        new MultiThreadIoEventLoopGroup(
            DEFAULT_THREADS, new DefaultThreadFactory(name, true), handlers) {
          @Override
          protected IoEventLoop newChild(
              Executor executor, IoHandlerFactory factory, Object... none) {
            return new ClosingLoop(this, executor, factory);
          }
        };
  }

  /** Wraps existing loops, for example of a simulation. */
  public EventLoops(EventLoopGroup group) {
    this.group = group;
  }

  /** Loops with Java's own sockets, on any platform. */
  public static EventLoops ofJava(String name) {
    return new EventLoops(name, false);
  }

  /** Whether the sockets of a loop use epoll. */
  public static boolean isNative(EventLoop loop) {
    return loop instanceof IoEventLoop ofSockets && ofSockets.isIoType(EpollIoHandler.class);
  }

  /** Whether this platform supports epoll. */
  public static boolean isNative() {
    return Epoll.isAvailable();
  }

  /** Whether the system cuts a large piece of memory into datagrams (UDP_SEGMENT). */
  public static boolean segmentsDatagrams() {
    return isNative() && EpollDatagramChannel.isSegmentedDatagramPacketSupported();
  }

  /** The next of the loops, round-robin. */
  public EventLoop next() {
    return group.next();
  }

  public int size() {
    int count = 0;
    for (EventExecutor ignored : group) {
      count++;
    }
    return count;
  }

  public EventLoopGroup group() {
    return group;
  }

  /** Stops the threads once their queues are empty; waits for at most 3 s. */
  @Override
  public void close() {
    group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(3, TimeUnit.SECONDS);
  }
}
