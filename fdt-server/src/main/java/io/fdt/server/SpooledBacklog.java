package io.fdt.server;

import io.fdt.core.error.FdtException;
import io.fdt.core.error.IoReason;
import io.fdt.core.transport.Backlog;
import io.fdt.core.wire.Recall;
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
 * A backlog with a disk behind its memory. One task at a time writes and reads for it; while one
 * runs, the log is the task's.
 *
 * <pre>
 *   poll() &lt;-- ready &lt;-- log on the disk &lt;-- the task's batch &lt;-- fresh &lt;-- add()
 *          &lt;-- fresh, while nothing is before it
 * </pre>
 *
 * <p>The disk is for what the other side does not take. When the other side waits for the disk,
 * nothing more is written: the sender is held back until the disk is empty, and then bytes go
 * through the memory again.
 *
 * <p>Confined to the event loop of its connection, but for {@link #bytes}.
 */
final class SpooledBacklog {
  private static final Logger LOG = LoggerFactory.getLogger(SpooledBacklog.class);

  /** What is less stays in memory: the other side may take it at once. */
  private static final long LEAST_WRITTEN = 512 << 10;

  /** Of what waits for the disk. */
  private static final long MOST_FRESH = 1 << 20;

  /** Of what was read ahead: the next task has it replaced before it has left. */
  private static final long MOST_READY = 512 << 10;

  /** With what waits: two files, of which one is written to, or read from. */
  private static final long LEAST_LEFT = 2 * SpoolLog.FILE_BYTES;

  /** A disk that is full may have room later. */
  private static final long DISK_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final PassingSpool spool;
  private final SpoolQuota.Owner owner;
  private final EventLoop loop;
  private final ByteBufAllocator allocator;
  private final Backlog.Listener listener;
  private final SpoolLog log;
  private final DrainRate rate;
  private final Deque<ByteBuf> ready = new ArrayDeque<>();
  private final Deque<PassingBytes> fresh = new ArrayDeque<>();
  private long readyBytes;

  /** Of whole buffers, which is what they take. */
  private long freshCapacity;

  private long onDisk;

  /** As the spool counts it. */
  private long kept;

  private long pausedUntilNanos;
  private boolean isPaused;
  private boolean isBusy;

  /** The other side has taken all that it could have, and asked for more. */
  private boolean isAwaited;

  private boolean isClosed;

  /** Its files stay for others that can use them. */
  private boolean leavesFiles;

  private boolean hasWritten;

  /** Bytes that were ever added. */
  private long position;

  private volatile long bytes;

  SpooledBacklog(
      PassingSpool spool,
      SpoolQuota.Owner owner,
      SpoolChain files,
      EventLoop loop,
      ByteBufAllocator allocator,
      Backlog.Listener listener) {
    this.spool = spool;
    this.owner = owner;
    this.loop = loop;
    this.allocator = allocator;
    this.listener = listener;
    this.log = new SpoolLog(files);
    this.rate = new DrainRate(spool.nanoTime());
  }

  /** What is in it, in memory and on the disk. Any thread. */
  long bytes() {
    return bytes;
  }

  boolean isEmpty() {
    return bytes == 0;
  }

  /**
   * Takes over bytes, also when it has no room. They stay in memory until {@link #refused}.
   *
   * @param firstFrame how many bytes from their start the first frame begins, maybe behind their
   *     end; negative where that is not known
   */
  @SuppressWarnings("NonAtomicVolatileUpdate") // the loop alone writes it
  void add(ByteBuf more, long firstFrame) {
    if (isClosed) {
      more.release();
      return;
    }
    bytes += more.readableBytes();
    keepFresh(new PassingBytes(more, position, firstFrame));
    position += more.readableBytes();
  }

  /** The other end takes no more for now: what is left may go to the disk. */
  void refused() {
    isAwaited = false;
    work();
  }

  /** Small reads share the memory of one, which is that of a large one. */
  private void keepFresh(PassingBytes more) {
    PassingBytes last = fresh.peekLast();
    if (last != null && last.bytes().isWritable(more.length())) {
      fresh.removeLast();
      fresh.add(last.with(more));
      more.bytes().release();
      return;
    }
    fresh.add(more);
    freshCapacity += more.capacity();
    spool.holdMemory(owner, more.capacity());
  }

  private void giveUp(PassingBytes taken) {
    freshCapacity -= taken.capacity();
    spool.holdMemory(owner, -taken.capacity());
  }

  /** As {@link Backlog#poll}. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // the loop alone writes it
  ByteBuf poll() {
    ByteBuf next = ready.poll();
    if (next != null) {
      readyBytes -= next.readableBytes();
      spool.holdMemory(owner, -next.capacity());
    } else if (!isBusy && onDisk == 0 && !fresh.isEmpty()) {
      PassingBytes first = fresh.remove();
      giveUp(first);
      next = first.bytes();
    }
    isAwaited = isAwaited || next == null;
    if (next != null) {
      bytes -= next.readableBytes();
      rate.left(next.readableBytes(), spool.nanoTime());
      work();
    }
    return next;
  }

  /** Whether more bytes should be read for it. */
  boolean hasRoom() {
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

  /** What one task has to do, and what it did. */
  private final class Task implements Runnable {
    private final List<PassingBytes> batch;
    private final long toRead;

    /** Of what was taken. */
    private final long mostLeft;

    private final List<ByteBuf> got = new ArrayList<>();
    private int written;
    private IOException full;
    private Throwable failure;
    private long fileBytes;

    Task(List<PassingBytes> batch, long toRead, long mostLeft) {
      this.batch = batch;
      this.toRead = toRead;
      this.mostLeft = mostLeft;
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
        trim();
      } catch (FdtException | RuntimeException | Error e) {
        failure = e;
      }
      fileBytes = log.fileBytes();
      try {
        loop.execute(() -> done(this));
      } catch (RejectedExecutionException e) { // the server has ended
        batch.forEach(one -> one.bytes().release());
        got.forEach(ByteBuf::release);
        leavesFiles |= !isClosed;
        endLog(List.of());
      }
    }

    private void write() {
      try {
        for (PassingBytes one : batch) {
          log.append(one);
          written++;
        }
      } catch (IOException e) {
        full = e;
      }
    }

    private void trim() {
      try {
        log.trim(mostLeft);
      } catch (IOException e) {
        LOG.warn("cannot remove from the spool reason={}", IoReason.of(e));
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
    List<PassingBytes> batch = List.of();
    if (writes) {
      batch = List.copyOf(fresh);
      fresh.clear();
      hasWritten = true;
      keep(kept + batch.stream().mapToLong(PassingBytes::length).sum());
    }
    isBusy = true;
    long most = spool.isMemoryFull(owner) ? 1 : MOST_READY - readyBytes;
    try {
      spool.execute(owner, new Task(batch, reads ? most : 0, mostLeft()));
    } catch (RejectedExecutionException e) { // the server is stopping
      batch.forEach(this::giveUp);
      batch.forEach(one -> one.bytes().release());
      isBusy = false;
      close(false);
    }
  }

  /** What was taken may be wanted again, if there is room for it besides what waits. */
  private long mostLeft() {
    long most = Math.max(rate.mostKept(), LEAST_LEFT);
    return spool.isRoomy(owner) ? Math.max(0, most - bytes) : 0;
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
      PassingBytes one = task.batch.get(i);
      onDisk += one.length();
      giveUp(one);
      one.bytes().release();
    }
    for (int i = task.batch.size() - 1; i >= task.written; i--) {
      fresh.addFirst(task.batch.get(i)); // it is still counted as fresh
    }
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

  /** The sending end is held back meanwhile. */
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

  /**
   * Drops what is in it. Idempotent.
   *
   * @param leaves whether those files stay that others can use, with what was to be written
   */
  void close(boolean leaves) {
    if (!isClosed) {
      isClosed = true;
      leavesFiles = leaves;
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
    long waiting = fresh.stream().mapToLong(PassingBytes::length).sum();
    boolean keepsFresh =
        leavesFiles && waiting >= Recall.LEAST_PAYLOAD && !isPaused() && spool.mayKeep(owner);
    List<PassingBytes> last = keepsFresh ? List.copyOf(fresh) : List.of();
    if (!keepsFresh) {
      fresh.forEach(this::discard);
    }
    fresh.clear();
    bytes = 0;
    if (!hasWritten && last.isEmpty()) {
      return; // it has no files
    }
    keep(kept + (keepsFresh ? waiting : 0));
    try {
      spool.execute(owner, () -> endLog(last));
    } catch (RejectedExecutionException e) {
      LOG.debug("its files are looked at when the server starts again");
      last.forEach(this::discard);
      keep(0);
    }
  }

  private void discard(PassingBytes one) {
    spool.holdMemory(owner, -one.capacity());
    one.bytes().release();
  }

  /**
   * The last task: what its files took is free when they are gone, or left for others.
   *
   * @param last is left with them, as far as the disk takes it
   */
  private void endLog(List<PassingBytes> last) {
    try {
      for (PassingBytes one : last) {
        log.append(one);
      }
    } catch (IOException e) {
      LOG.debug("not kept", e);
    } finally {
      last.forEach(this::discard);
    }
    try {
      log.close(leavesFiles);
    } catch (IOException e) {
      LOG.warn("cannot remove from the spool reason={}", e.getMessage());
    }
    keep(0);
  }
}
