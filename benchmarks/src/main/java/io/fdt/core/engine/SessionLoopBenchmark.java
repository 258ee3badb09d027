package io.fdt.core.engine;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** The cost of a post to the loop of a session, from as many threads as JMH runs ({@code -t}). */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SessionLoopBenchmark {
  private static final int POSTS = 1000;

  private EventLoopGroup group;
  private NettySessionLoop loop;

  /** Starts the loop. */
  @Setup
  public void start() {
    group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    EventLoop only = group.next();
    loop =
        new NettySessionLoop(
            only,
            failure -> {
              throw new AssertionError(failure);
            });
  }

  /** Ends it. */
  @TearDown
  public void end() {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
  }

  /** A burst of posts until all have run; the figure is for one. */
  @Benchmark
  @OperationsPerInvocation(POSTS)
  public void post() throws InterruptedException {
    CountDownLatch done = new CountDownLatch(POSTS);
    for (int i = 0; i < POSTS; i++) {
      loop.post(done::countDown);
    }
    done.await();
  }
}
