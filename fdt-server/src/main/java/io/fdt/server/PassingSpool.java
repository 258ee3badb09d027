package io.fdt.server;

import io.fdt.core.security.Grant;
import io.fdt.core.transport.Backlog;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The disk behind the memory of relayed connections: its files, threads and quota. Thread-safe. */
final class PassingSpool implements AutoCloseable {
  /** One writes and reads a few hundred MB/s; they wait for the disk most of the time. */
  private static final int THREADS = 4;

  private static final long IDLE_SECONDS = 5;

  /** A disk may hang for ever. */
  private static final long STOP_SECONDS = 1;

  private static final Logger LOG = LoggerFactory.getLogger(PassingSpool.class);

  /** Of what Java may use outside of its heap, which is as much as its heap. */
  private static final int MEMORY_PART = 8;

  /**
   * A token.
   *
   * @param name as in {@link SpoolUse}
   * @param most bytes that it may have in the spool
   */
  record Owner(String name, long most) {
    static Owner of(Grant grant) {
      long most = grant.relay().spoolBytes();
      return new Owner(Spool.prefix(grant), most > 0 ? most : Long.MAX_VALUE);
    }
  }

  private final Spool spool;
  private final SpoolUse use;
  private final LongSupplier clock;
  private final long mostMemory = Runtime.getRuntime().maxMemory() / MEMORY_PART;
  private final AtomicLong memory = new AtomicLong();
  private final AtomicLong files = new AtomicLong();
  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(
          THREADS,
          THREADS,
          IDLE_SECONDS,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          work -> {
            Thread made = new Thread(work, "fdt-server-spool");
            made.setDaemon(true);
            return made;
          });

  PassingSpool(Spool spool, SpoolUse use, LongSupplier clock) {
    this.spool = spool;
    this.use = use;
    this.clock = clock;
    threads.allowCoreThreadTimeOut(true);
  }

  /** One direction of a connection. */
  SpooledBacklog backlog(
      Grant grant, EventLoop loop, ByteBufAllocator allocator, Backlog.Listener listener) {
    return new SpooledBacklog(this, Owner.of(grant), loop, allocator, listener);
  }

  long nanoTime() {
    return clock.getAsLong();
  }

  /** A file that does not exist yet. */
  Path nextFile() {
    return spool.passing().resolve(Long.toString(files.incrementAndGet()));
  }

  boolean mayKeep(Owner owner) {
    return use.mayKeep(owner.name(), owner.most());
  }

  /** Connections of an owner keep so much more, or less, on the disk. */
  void keep(Owner owner, long change) {
    use.keep(owner.name(), change);
  }

  /** All connections together hold so much more, or less, in memory for the disk. */
  void holdMemory(long change) {
    memory.addAndGet(change);
  }

  boolean isMemoryFull() {
    return memory.get() > mostMemory;
  }

  /** Runs what blocks. */
  void execute(Runnable work) {
    threads.execute(work);
  }

  /** Ends its threads and removes its files. After the connections. */
  @Override
  public void close() {
    threads.shutdown();
    try {
      if (threads.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
        spool.clearPassing();
      }
    } catch (IOException e) {
      LOG.warn("the spool is emptied at the next start reason={}", e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
