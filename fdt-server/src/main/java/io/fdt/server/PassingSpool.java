package io.fdt.server;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.IoReason;
import io.fdt.core.security.Grant;
import io.fdt.core.transport.Backlog;
import io.fdt.core.wire.control.HeldBlocks;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The disk behind the memory of relayed connections: its files, threads and quota. Thread-safe. */
final class PassingSpool implements AutoCloseable {
  /** A disk may hang for ever. */
  private static final long STOP_SECONDS = 1;

  /** For a block, or a list of them; a slow disk gets half of it. */
  static final Duration PATIENCE = Duration.ofSeconds(5);

  private static final Logger LOG = LoggerFactory.getLogger(PassingSpool.class);

  /** Of what Java may use outside of its heap, which is as much as its heap. */
  private static final int MEMORY_PART = 8;

  /** So many parts of it are not one token's. */
  private static final int MOST_OF_OWNER = 4;

  private final Spool spool;
  private final SpoolQuota quota;
  private final HeldSegments held;
  private final LongSupplier clock;
  private final long mostMemory;
  private final Duration patience;
  private final BytesByOwner memory = new BytesByOwner();
  private final AtomicLong files = new AtomicLong();
  private final FairThreads threads = new FairThreads("fdt-server-spool", STOP_SECONDS);

  PassingSpool(Spool spool, SpoolQuota quota, LongSupplier clock) {
    this(spool, quota, clock, Runtime.getRuntime().maxMemory() / MEMORY_PART, PATIENCE);
  }

  /**
   * @param clock nanoseconds, from an arbitrary origin
   * @param mostMemory bytes of all connections together
   * @param patience how long a block, or a list of them, is waited for
   */
  PassingSpool(
      Spool spool, SpoolQuota quota, LongSupplier clock, long mostMemory, Duration patience) {
    this.patience = patience;
    this.spool = spool;
    this.held = new HeldSegments(spool.passing(), quota, System::currentTimeMillis);
    this.quota = quota;
    this.clock = clock;
    this.mostMemory = mostMemory;
  }

  /**
   * Finds what connections of a former process have left. Once, when the spool is open.
   *
   * @throws FdtException it cannot be read
   */
  void open() throws FdtException {
    try {
      held.open();
      if (quota.remains() > 0) {
        LOG.info("blocks of a former process are in the spool bytes={}", quota.remains());
      }
    } catch (IOException e) {
      throw new FdtException(
          ErrorCode.IO,
          "cannot read the spool %s: %s".formatted(spool.directory(), IoReason.of(e)),
          e);
    }
  }

  /** One direction of a connection of which nothing is known. */
  SpooledBacklog backlog(SpoolUse use, Backlog.Listener listener) {
    held.mayHave(use.owner());
    SpoolChain files = new SpoolChain(held, use.ends(), this::nextFile);
    return new SpooledBacklog(this, use.owner(), files, use.loop(), use.allocator(), listener);
  }

  /**
   * Blocks that it holds of an owner and a target. Waits for the disk, but not for long: a slow
   * disk has not all of them at once. Empty for one that hangs: it answers nothing.
   */
  Optional<HeldBlocks> list(SpoolQuota.Owner owner, InetSocketAddress target) {
    held.mayHave(owner);
    SpoolEnds ends = SpoolEnds.of(owner, target);
    BooleanSupplier isLate = isLater();
    CompletableFuture<HeldBlocks> list = new CompletableFuture<>();
    try {
      execute(owner, () -> list.complete(isLate.getAsBoolean() ? null : held.list(ends, isLate)));
      return Optional.ofNullable(list.get(patience.toNanos(), TimeUnit.NANOSECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (TimeoutException | ExecutionException | RejectedExecutionException e) {
      LOG.warn("what the spool holds is not known reason={}", e.toString());
    }
    return Optional.empty();
  }

  /** From now on, whether it is too late to look further. */
  BooleanSupplier isLater() {
    long sinceNanos = nanoTime();
    return () -> nanoTime() - sinceNanos > patience.toNanos() / 2;
  }

  /** How long a block is waited for. */
  Duration patience() {
    return patience;
  }

  /** What remains of other tokens goes soon. */
  void leaveOnlyOf(List<Grant> valid) {
    held.leaveOnlyOf(
        valid.stream()
            .map(grant -> SpoolQuota.Owner.of(grant).name())
            .collect(Collectors.toUnmodifiableSet()));
  }

  /** Its files in which frames can be found. */
  HeldSegments held() {
    return held;
  }

  long nanoTime() {
    return clock.getAsLong();
  }

  /** A file that does not exist yet, of no use to another process. */
  Path nextFile() {
    return spool.passing().resolve(Long.toString(files.incrementAndGet()));
  }

  boolean mayKeep(SpoolQuota.Owner owner) {
    return quota.mayKeep(owner);
  }

  /** Whether there is room for what connections of an owner have delivered already. */
  boolean isRoomy(SpoolQuota.Owner owner) {
    return quota.isRoomy(owner);
  }

  /** Connections of an owner keep so much more, or less, on the disk. */
  void keep(SpoolQuota.Owner owner, long change) {
    quota.keep(owner, change);
  }

  /** Connections of an owner hold so much more, or less, in memory. */
  void holdMemory(SpoolQuota.Owner owner, long change) {
    memory.add(owner.name(), change);
  }

  /** What connections hold in memory. */
  long memory() {
    return memory.sum();
  }

  /**
   * Whether connections of an owner should hold no more: all have too much, or it has a quarter.
   */
  boolean isMemoryFull(SpoolQuota.Owner owner) {
    return memory.sum() > mostMemory || memory.of(owner.name()) > mostMemory / MOST_OF_OWNER;
  }

  /**
   * Runs what blocks, when it is the owner's turn. What waits is bounded: a backlog has one task
   * here at a time, and one that reads a block; its last one gives back what it has of the quota
   * when its files are gone. A disk that hangs therefore gets no more tasks than there are
   * connections, and than had filled the quota before.
   */
  void execute(SpoolQuota.Owner owner, Runnable work) {
    threads.execute(owner.name(), work);
  }

  /** Ends its threads and removes files of no use to another process. After the connections. */
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
