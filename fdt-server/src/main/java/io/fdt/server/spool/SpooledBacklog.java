package io.fdt.server.spool;

import io.fdt.core.error.FdtException;
import io.fdt.core.error.IoReason;
import io.fdt.core.transport.Backlog;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A backlog in memory that overflows to a disk. One task at a time writes and reads for it, and
 * owns the log while it runs.
 *
 * <pre>
 *   poll() &lt;-- ready &lt;-- log on the disk &lt;-- the task's batch &lt;-- fresh &lt;-- add()
 *          &lt;-- fresh, while nothing is before it
 * </pre>
 *
 * <p>The disk is for bytes that the other side does not accept. When the other side waits for the
 * disk, nothing more is written: the sender is paused until the disk is empty, and then bytes pass
 * through memory again.
 *
 * <p>Confined to the event loop of its connection, except {@link #bytes}.
 */
public final class SpooledBacklog implements Backlog {
  private static final Logger LOG = LoggerFactory.getLogger(SpooledBacklog.class);

  /** The fewest bytes written to the disk: the other side may accept fewer at once. */
  private static final long LEAST_WRITTEN = 512 << 10;

  /** Most bytes that wait for the disk. */
  private static final long MOST_FRESH = 1 << 20;

  /** The most bytes read ahead: the next task refills them before they are sent. */
  private static final long MOST_READY = 512 << 10;

  /** The pause after a failure of the disk, which may have space later. */
  private static final long DISK_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final PassingSpool spool;
  private final SpoolQuota.Owner owner;
  private final EventLoop loop;
  private final ByteBufAllocator allocator;
  private final Listener listener;
  private final SpoolLog log;
  private final DrainRate rate;
  private final Deque<ByteBuf> ready = new ArrayDeque<>();
  private final Deque<ByteBuf> fresh = new ArrayDeque<>();
  private long readyBytes;

  /** Bytes of memory, by the capacity of buffers. */
  private long freshCapacity;

  private long onDisk;
  private long inTask;

  /** Bytes accounted in the spool. */
  private long kept;

  private long pausedUntilNanos;
  private boolean isPaused;
  private boolean isBusy;

  /** Whether the other side has taken all available bytes, and asked for more. */
  private boolean isAwaited;

  private boolean isClosed;
  private volatile long bytes;

  SpooledBacklog(
      PassingSpool spool,
      SpoolQuota.Owner owner,
      EventLoop loop,
      ByteBufAllocator allocator,
      Listener listener) {
    this.spool = spool;
    this.owner = owner;
    this.loop = loop;
    this.allocator = allocator;
    this.listener = listener;
    this.log = new SpoolLog(spool::nextFile);
    this.rate = new DrainRate(spool.nanoTime());
  }

  /** Bytes in memory and on the disk. Any thread. */
  public long bytes() {
    return bytes;
  }

  @Override
  public boolean isEmpty() {
    return bytes == 0;
  }

  @Override
  @SuppressWarnings("NonAtomicVolatileUpdate") // the loop alone writes it
  public void add(ByteBuf more) {
    if (isClosed) {
      more.release();
      return;
    }
    bytes += more.readableBytes();
    keepFresh(more);
  }

  @Override
  public void refused() {
    isAwaited = false;
    work();
  }

  /** Adds bytes; small reads share one large buffer. */
  private void keepFresh(ByteBuf more) {
    ByteBuf last = fresh.peekLast();
    if (last != null && last.isWritable(more.readableBytes())) {
      last.writeBytes(more);
      more.release();
      return;
    }
    fresh.add(more);
    freshCapacity += more.capacity();
    spool.holdMemory(owner, more.capacity());
  }

  private void giveUp(ByteBuf taken) {
    freshCapacity -= taken.capacity();
    spool.holdMemory(owner, -taken.capacity());
  }

  @Override
  @SuppressWarnings("NonAtomicVolatileUpdate") // the loop alone writes it
  public ByteBuf poll() {
    ByteBuf next = ready.poll();
    if (next != null) {
      readyBytes -= next.readableBytes();
      spool.holdMemory(owner, -next.capacity());
    } else if (!isBusy && onDisk == 0) {
      next = fresh.poll();
      if (next != null) {
        giveUp(next);
      }
    }
    isAwaited = isAwaited || next == null;
    if (next != null) {
      bytes -= next.readableBytes();
      rate.left(next.readableBytes(), spool.nanoTime());
      work();
    }
    return next;
  }

  @Override
  public boolean hasRoom() {
    if (isEmpty()) {
      return true;
    }
    return spool.isMemoryFull(owner)
        ? freshCapacity == 0 && mayWrite()
        : freshCapacity < MOST_FRESH && (freshCapacity < LEAST_WRITTEN || mayWrite());
  }

  private boolean mayWrite() {
    return bytes < rate.mostKept() && !isPaused() && spool.mayKeep(owner);
  }

  private boolean isPaused() {
    isPaused = isPaused && spool.nanoTime() - pausedUntilNanos < 0;
    return isPaused;
  }

  /** The input and result of one task. */
  private final class Task implements Runnable {
    private final List<ByteBuf> batch;
    private final long toRead;
    private final List<ByteBuf> got = new ArrayList<>();
    private int written;
    private IOException full;
    private Throwable failure;
    private long fileBytes;

    Task(List<ByteBuf> batch, long toRead) {
      this.batch = batch;
      this.toRead = toRead;
    }

    @Override
    public void run() {
      try {
        long read = 0;
        while (read < toRead && !log.isEmpty()) {
          ByteBuf piece = log.next(allocator);
          read += piece.readableBytes();
          got.add(piece);
        }
        write();
      } catch (FdtException | RuntimeException | Error e) {
        failure = e;
      }
      fileBytes = log.fileBytes();
      try {
        loop.execute(() -> done(this));
      } catch (RejectedExecutionException e) { // the server has ended
        batch.forEach(ByteBuf::release);
        got.forEach(ByteBuf::release);
        removeFiles();
      }
    }

    private void write() {
      try {
        for (ByteBuf one : batch) {
          log.append(one);
          written++;
        }
      } catch (IOException e) {
        full = e;
      }
    }
  }

  private void work() {
    if (isBusy || isClosed) {
      return;
    }
    boolean reads = onDisk > 0 && readyBytes < MOST_READY / 2;
    long least = spool.isMemoryFull(owner) ? 1 : LEAST_WRITTEN;
    boolean writes = freshCapacity >= least && !fresh.isEmpty() && !isAwaited && mayWrite();
    if (!reads && !writes) {
      return;
    }
    List<ByteBuf> batch = List.of();
    if (writes) {
      batch = List.copyOf(fresh);
      fresh.clear();
      inTask = batch.stream().mapToLong(ByteBuf::readableBytes).sum();
      keep(kept + inTask);
    }
    isBusy = true;
    long most = spool.isMemoryFull(owner) ? 1 : MOST_READY - readyBytes;
    try {
      spool.execute(owner, new Task(batch, reads ? most : 0));
    } catch (RejectedExecutionException e) { // the server is stopping
      batch.forEach(this::giveUp);
      batch.forEach(ByteBuf::release);
      isBusy = false;
      close();
    }
  }

  private void done(Task task) {
    isBusy = false;
    long read = 0;
    for (ByteBuf one : task.got) {
      read += one.readableBytes();
      readyBytes += one.readableBytes();
      spool.holdMemory(owner, one.capacity());
      ready.add(one);
    }
    onDisk -= read;
    for (int i = 0; i < task.written; i++) {
      ByteBuf one = task.batch.get(i);
      onDisk += one.readableBytes();
      giveUp(one);
      one.release();
    }
    for (int i = task.batch.size() - 1; i >= task.written; i--) {
      fresh.addFirst(task.batch.get(i)); // it is still counted as fresh
    }
    inTask = 0;
    keep(task.fileBytes);
    if (isClosed) {
      drop();
      return;
    }
    if (task.failure != null) {
      listener.failed(
          task.failure instanceof FdtException known
              ? known
              : FdtException.unforeseen("the spool failed", task.failure));
      return;
    }
    if (task.full != null) {
      pause(task.full);
    }
    listener.changed();
    work();
  }

  /** Pauses the use of the disk, and so the sending end. */
  private void pause(IOException cause) {
    LOG.warn(
        "the spool takes nothing for now pause={}s reason={}",
        TimeUnit.NANOSECONDS.toSeconds(DISK_PAUSE_NANOS),
        IoReason.of(cause));
    isPaused = true;
    pausedUntilNanos = spool.nanoTime() + DISK_PAUSE_NANOS;
    loop.schedule(
        () -> {
          work();
          listener.changed();
        },
        DISK_PAUSE_NANOS,
        TimeUnit.NANOSECONDS);
  }

  private void keep(long now) {
    spool.keep(owner, now - kept);
    kept = now;
  }

  @Override
  public void close() {
    if (!isClosed) {
      isClosed = true;
      if (!isBusy) {
        drop();
      }
    }
  }

  private void drop() {
    for (ByteBuf one : ready) {
      spool.holdMemory(owner, -one.capacity());
      one.release();
    }
    ready.clear();
    for (ByteBuf one : fresh) {
      giveUp(one);
      one.release();
    }
    fresh.clear();
    bytes = 0;
    if (kept == 0) {
      return; // it has no files
    }
    try {
      spool.execute(owner, this::removeFiles);
    } catch (RejectedExecutionException e) {
      LOG.debug("removed at the next start");
      keep(0);
    }
  }

  /** Runs the last task, which removes the files and releases their quota. */
  private void removeFiles() {
    try {
      log.close();
    } catch (IOException e) {
      LOG.warn("cannot remove from the spool reason={}", e.getMessage());
    }
    keep(0);
  }
}
