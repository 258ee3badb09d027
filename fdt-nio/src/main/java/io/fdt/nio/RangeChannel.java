package io.fdt.nio;

import io.fdt.nio.server.Connections;
import io.fdt.nio.server.FileErrors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.SeekableByteChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Reads ranges of a file of a server, ahead of a program that reads in order.
 *
 * <pre>
 *   program reads  [ window: 64 KiB to 1 MiB ][ next window: in flight ]
 * </pre>
 *
 * The channel reads the current file, like one of a local file: it sees appended bytes, and a
 * truncated end. Reading fails if another file replaces it. Thread-safe; reads wait for each other.
 * Memory: two windows.
 */
final class RangeChannel implements SeekableByteChannel, FdtFileSystem.Opened {
  /** How long a size is cached. */
  private static final long SIZE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Threads that read ahead, for all channels. Further reads wait. */
  private static final Executor AHEAD = ahead();

  private record Window(long offset, byte[] bytes, int length) {
    boolean holds(long position) {
      return position >= offset && position < offset + length;
    }
  }

  private final FdtPath path;
  private final Remote remote;
  private final Remote.Found found;
  private final ReadWindow plan = new ReadWindow();
  private final CloseAction atClose;
  private final AtomicBoolean closed = new AtomicBoolean();

  // Guarded by this.
  private long position;
  private long size;
  private long sizeNanos = System.nanoTime();
  private Window window = new Window(0, new byte[0], 0);
  private long aheadOffset = -1;
  private CompletableFuture<Window> ahead;

  /**
   * @param found a file, without links
   * @param atClose runs once, when the program closes it
   */
  RangeChannel(FdtPath path, Remote remote, Remote.Found found, CloseAction atClose) {
    this.atClose = atClose;
    this.path = path;
    this.remote = remote;
    this.found = found;
    this.size = found.file().size();
  }

  private static Executor ahead() {
    ThreadPoolExecutor executor =
        new ThreadPoolExecutor(
            Connections.MOST,
            Connections.MOST,
            5,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            work -> {
              Thread thread = new Thread(work, "fdt-nio-ahead");
              thread.setDaemon(true);
              return thread;
            });
    executor.allowCoreThreadTimeOut(true);
    return executor;
  }

  interface CloseAction {
    void run() throws IOException;
  }

  @Override
  public synchronized int read(ByteBuffer target) throws IOException {
    checkOpen();
    if (target.isReadOnly()) {
      throw new IllegalArgumentException("the buffer is read-only");
    }
    if (!target.hasRemaining()) {
      return 0;
    }
    if (!window.holds(position)) {
      window = fetch(position, target.remaining());
      if (closed.get()) {
        throw new AsynchronousCloseException();
      }
    }
    if (!window.holds(position)) {
      return -1;
    }
    int start = Math.toIntExact(position - window.offset());
    int length = Math.min(target.remaining(), window.length() - start);
    target.put(window.bytes(), start, length);
    position += length;
    return length;
  }

  private Window fetch(long offset, int wanted) throws IOException {
    int length = plan.next(offset, wanted);
    CompletableFuture<Window> coming = aheadOffset == offset ? ahead : null;
    ahead = null;
    Window fetched = coming == null ? load(offset, length) : join(coming);
    long end = offset + fetched.length();
    plan.fetched(end);
    if (fetched.length() > 0) {
      size = Math.max(size, end);
    }
    if (plan.isSequential() && fetched.length() > 0 && end < size) {
      readAhead(end);
    }
    return fetched;
  }

  private void readAhead(long offset) {
    int length = Math.toIntExact(Math.min(ReadWindow.MOST_BYTES, size - offset));
    aheadOffset = offset;
    ahead =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return closed.get() ? new Window(offset, new byte[0], 0) : load(offset, length);
              } catch (IOException e) {
                throw new CompletionException(e);
              }
            },
            AHEAD);
  }

  private Window join(CompletableFuture<Window> coming) throws IOException {
    try {
      return coming.get();
    } catch (InterruptedException e) {
      throw FileErrors.interrupted(e, path);
    } catch (java.util.concurrent.ExecutionException e) {
      throw e.getCause() instanceof IOException known
          ? known
          : new IOException("reading '" + path + "' failed: " + e.getCause(), e);
    }
  }

  private Window load(long offset, int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    int read = remote.read(found, offset, bytes);
    return new Window(offset, bytes.array(), read);
  }

  @Override
  public int write(ByteBuffer source) throws IOException {
    checkOpen();
    throw new NonWritableChannelException();
  }

  @Override
  public synchronized long position() throws IOException {
    checkOpen();
    return position;
  }

  @Override
  public synchronized RangeChannel position(long newPosition) throws IOException {
    checkOpen();
    if (newPosition < 0) {
      throw new IllegalArgumentException("position " + newPosition + " is negative");
    }
    position = newPosition;
    return this;
  }

  /** {@inheritDoc} Requests the size again after a second. */
  @Override
  public synchronized long size() throws IOException {
    checkOpen();
    long nowNanos = System.nanoTime();
    if (nowNanos - sizeNanos > SIZE_NANOS) {
      size = remote.find(found.path(), false).file().size();
      sizeNanos = nowNanos;
    }
    return size;
  }

  @Override
  public RangeChannel truncate(long newSize) throws IOException {
    checkOpen();
    throw new NonWritableChannelException();
  }

  @Override
  public boolean isOpen() {
    return !closed.get();
  }

  private void checkOpen() throws IOException {
    if (closed.get()) {
      throw new ClosedChannelException();
    }
  }

  /** Closes the channel; a waiting read fails when its answer arrives. Idempotent. */
  @Override
  public void close() throws IOException {
    if (closed.compareAndSet(false, true)) {
      path.getFileSystem().closed(this);
      atClose.run();
    }
  }

  @Override
  public void fileSystemClosed() {
    closed.set(true);
  }
}
