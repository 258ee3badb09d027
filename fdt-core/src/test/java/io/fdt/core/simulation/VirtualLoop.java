package io.fdt.core.simulation;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.AbstractEventExecutor;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ScheduledFuture;
import io.netty.util.concurrent.Ticker;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;

/**
 * An event loop in virtual time. What is given to it happens in order, each thing a little later.
 * It has no channels: connections are those of {@link io.fdt.core.transport.memory.MemoryNetwork}.
 */
public final class VirtualLoop extends AbstractEventExecutor implements EventLoop {
  /** How long a task waits at most, in units of virtual time: also the delay of the network. */
  private static final int LONGEST_WAIT = 30;

  private static VirtualLoop running;

  private final SimulatedProcess process;
  private final VirtualTime.Queue tasks;
  private VirtualLoop other;
  private boolean otherIsNext;

  private VirtualLoop(SimulatedProcess process) {
    this.process = process;
    this.tasks = process.time.new Queue(LONGEST_WAIT);
  }

  /** Two loops of a process, which take turns where the next one is asked for. */
  static VirtualLoop two(SimulatedProcess process) {
    VirtualLoop first = new VirtualLoop(process);
    first.other = new VirtualLoop(process);
    first.other.other = first;
    return first;
  }

  /** The process whose loop this is. */
  public SimulatedProcess process() {
    return process;
  }

  private Runnable onLoop(Runnable task) {
    return process.alive(
        () -> {
          running = this;
          try {
            task.run();
          } finally {
            running = null;
          }
        });
  }

  @Override
  public void execute(Runnable task) {
    tasks.add(onLoop(task));
  }

  @Override
  public boolean inEventLoop(Thread thread) {
    return running == this && thread == Thread.currentThread();
  }

  @Override
  public EventLoop next() {
    otherIsNext = !otherIsNext;
    return otherIsNext ? this : other;
  }

  @Override
  public EventLoopGroup parent() {
    return this;
  }

  @Override
  public Ticker ticker() {
    return new Ticker() {
      @Override
      public long initialNanoTime() {
        return 0;
      }

      @Override
      public long nanoTime() {
        return process.time.nanos();
      }

      @Override
      public void sleep(long delay, TimeUnit unit) {
        throw new AssertionError("an event loop waits");
      }
    };
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
    Timer timer = new Timer(this);
    process.time.after(
        unit.toNanos(delay),
        onLoop(
            () -> {
              if (!timer.isCancelled()) {
                timer.setSuccess(null);
                task.run();
              }
            }));
    return timer;
  }

  @Override
  public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
    throw new UnsupportedOperationException();
  }

  /** What can be cancelled. */
  private static final class Timer extends DefaultPromise<Void> implements ScheduledFuture<Void> {
    Timer(EventExecutor executor) {
      super(executor);
    }

    @Override
    public long getDelay(TimeUnit unit) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int compareTo(Delayed other) {
      throw new UnsupportedOperationException();
    }
  }

  @Override
  public ChannelFuture register(Channel channel) {
    throw new UnsupportedOperationException();
  }

  @Override
  public ChannelFuture register(ChannelPromise promise) {
    throw new UnsupportedOperationException();
  }

  @Override
  @Deprecated
  public ChannelFuture register(Channel channel, ChannelPromise promise) {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean isShuttingDown() {
    return false;
  }

  @Override
  public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Future<?> terminationFuture() {
    throw new UnsupportedOperationException();
  }

  @Override
  @Deprecated
  public void shutdown() {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean isShutdown() {
    return false;
  }

  @Override
  public boolean isTerminated() {
    return false;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return false;
  }
}
