package io.fdt.server.spool;

import io.fdt.core.model.Grant;
import io.fdt.core.transport.Backlog;
import io.fdt.server.limits.SharedBudget;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The disk behind the memory of relayed connections: its files, threads and quota. Thread-safe. */
public final class PassingSpool implements AutoCloseable {
  /** The longest wait at the end: a disk may hang forever. */
  private static final long STOP_SECONDS = 1;

  private static final Logger LOG = LoggerFactory.getLogger(PassingSpool.class);

  /** The divisor for the share of the direct memory, which is as large as the heap. */
  private static final int MEMORY_PART = 8;

  /** The divisor for the share of one token. */
  private static final int MOST_OF_OWNER = 4;

  private final Spool spool;
  private final SpoolQuota quota;
  private final LongSupplier clock;
  private final long mostMemory;
  private final SharedBudget memory = new SharedBudget();
  private final AtomicLong files = new AtomicLong();
  private final FairThreads threads = new FairThreads("fdt-server-spool", STOP_SECONDS);

  public PassingSpool(Spool spool, SpoolQuota quota, LongSupplier clock) {
    this(spool, quota, clock, Runtime.getRuntime().maxMemory() / MEMORY_PART);
  }

  /**
   * @param mostMemory bytes of all connections together
   */
  public PassingSpool(Spool spool, SpoolQuota quota, LongSupplier clock, long mostMemory) {
    this.spool = spool;
    this.quota = quota;
    this.clock = clock;
    this.mostMemory = mostMemory;
  }

  /** The backlog of one direction of a connection. */
  public SpooledBacklog backlog(
      Grant grant, EventLoop loop, ByteBufAllocator allocator, Backlog.Listener listener) {
    return new SpooledBacklog(this, SpoolQuota.Owner.of(grant), loop, allocator, listener);
  }

  long nanoTime() {
    return clock.getAsLong();
  }

  /** A file that does not exist yet. */
  Path nextFile() {
    return spool.passing().resolve(Long.toString(files.incrementAndGet()));
  }

  boolean mayKeep(SpoolQuota.Owner owner) {
    return quota.mayKeep(owner);
  }

  /** Changes the bytes that connections of an owner keep on the disk. */
  void keep(SpoolQuota.Owner owner, long change) {
    quota.keep(owner, change);
  }

  /** Changes the bytes that connections of an owner hold in memory. */
  void holdMemory(SpoolQuota.Owner owner, long change) {
    memory.add(owner.name(), change);
  }

  /**
   * Whether connections of an owner should hold no more: the limit of all, or a quarter for the
   * owner, is reached.
   */
  boolean isMemoryFull(SpoolQuota.Owner owner) {
    return memory.sum() > mostMemory || memory.of(owner.name()) > mostMemory / MOST_OF_OWNER;
  }

  /**
   * Runs blocking work when it is the owner's turn. The queue is bounded: a backlog has one task at
   * a time, and its last task releases its quota when its files are removed. A disk that hangs gets
   * no more tasks than there are connections, plus those that had filled the quota before.
   */
  void execute(SpoolQuota.Owner owner, Runnable work) {
    threads.execute(owner.name(), work);
  }

  /** Ends its threads and removes its files. After the connections. */
  @Override
  public void close() {
    threads.close();
    if (!threads.isIdle()) {
      return;
    }
    try {
      spool.clearPassing();
    } catch (IOException e) {
      LOG.warn("the spool is emptied at the next start reason={}", e.getMessage());
    }
  }
}
