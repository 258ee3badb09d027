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
 * The threads that move bytes between sockets and memory: epoll where the platform has it, NIO
 * elsewhere.
 *
 * <p>Thread-safe. Owned by one client or one server; nothing is shared between those.
 */
public final class EventLoops implements AutoCloseable {
  /**
   * One loop fills about 20 Gbit/s here, and disks want cores too: half of the cores, at most 8.
   */
  private static final int DEFAULT_THREADS =
      Math.max(1, Math.min(8, Runtime.getRuntime().availableProcessors() / 2));

  private final EventLoopGroup group;

  /**
   * Closes its channels when it ends, always. Netty's own loop looks whether it is to end, runs its
   * tasks, and looks again; if it was told in between, it leaves its channels open for ever, and
   * nobody hears of them.
   */
  private static final class ClosingLoop extends SingleThreadIoEventLoop {
    ClosingLoop(IoEventLoopGroup group, Executor executor, IoHandlerFactory handlers) {
      super(group, executor, handlers);
    }

    @Override
    protected void run() {
      super.run();
      if (isShuttingDown()) { // tasks are still run
        ioHandler().prepareToDestroy();
      }
    }
  }

  /** Loops whose threads carry this name. */
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

  /** Loops that are there already: those of a simulation. */
  public EventLoops(EventLoopGroup group) {
    this.group = group;
  }

  /** Loops with Java's own sockets, also where the system has better ones. */
  public static EventLoops ofJava(String name) {
    return new EventLoops(name, false);
  }

  /** Whether sockets of a loop are epoll's. */
  public static boolean isNative(EventLoop loop) {
    return loop instanceof IoEventLoop ofSockets && ofSockets.isIoType(EpollIoHandler.class);
  }

  /** Whether this platform has epoll. */
  public static boolean isNative() {
    return Epoll.isAvailable();
  }

  /** Whether the system cuts a large piece of memory into datagrams (UDP_SEGMENT). */
  public static boolean segmentsDatagrams() {
    return isNative() && EpollDatagramChannel.isSegmentedDatagramPacketSupported();
  }

  /** One of the loops, in turn. */
  public EventLoop next() {
    return group.next();
  }

  /** How many there are. */
  public int size() {
    int count = 0;
    for (EventExecutor ignored : group) {
      count++;
    }
    return count;
  }

  /** All of them. */
  public EventLoopGroup group() {
    return group;
  }

  /** Stops the threads once their queues are empty; waits for at most 3 s. */
  @Override
  public void close() {
    group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(3, TimeUnit.SECONDS);
  }
}
