package io.fdt.server;

import io.fdt.core.security.Grant;
import io.fdt.core.transport.Backlog;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The disk behind the memory of relayed connections: its files, threads and quota. Thread-safe. */
final class PassingSpool implements AutoCloseable {
  /** A disk may hang for ever. */
  private static final long STOP_SECONDS = 1;

  private static final Logger LOG = LoggerFactory.getLogger(PassingSpool.class);

  /** Of what Java may use outside of its heap, which is as much as its heap. */
  private static final int MEMORY_PART = 8;

  /** So many parts of it are not one token's. */
  private static final int MOST_OF_OWNER = 4;

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
  private final long mostMemory;
  private final BytesByOwner memory = new BytesByOwner();
  private final AtomicLong files = new AtomicLong();
  private final FairThreads threads = new FairThreads("fdt-server-spool", STOP_SECONDS);

  PassingSpool(Spool spool, SpoolUse use, LongSupplier clock) {
    this(spool, use, clock, Runtime.getRuntime().maxMemory() / MEMORY_PART);
  }

  /**
   * @param mostMemory bytes of all connections together
   */
  PassingSpool(Spool spool, SpoolUse use, LongSupplier clock, long mostMemory) {
    this.spool = spool;
    this.use = use;
    this.clock = clock;
    this.mostMemory = mostMemory;
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

  /** Connections of an owner hold so much more, or less, in memory. */
  void holdMemory(Owner owner, long change) {
    memory.add(owner.name(), change);
  }

  /**
   * Whether connections of an owner should hold no more: all have too much, or it has a quarter.
   */
  boolean isMemoryFull(Owner owner) {
    return memory.sum() > mostMemory || memory.of(owner.name()) > mostMemory / MOST_OF_OWNER;
  }

  /**
   * Runs what blocks, when it is the owner's turn. What waits is bounded: a backlog has one task
   * here at a time, and its last one gives back what it has of the quota when its files are gone. A
   * disk that hangs therefore gets no more tasks than there are connections, and than had filled
   * the quota before.
   */
  void execute(Owner owner, Runnable work) {
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
