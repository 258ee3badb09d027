package io.fdt.http;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.Flow;

/**
 * The body of a response, read forward at the pace of the reader. A read waits for a bounded time.
 *
 * <p>One thread reads; any thread closes.
 */
final class Body implements Flow.Subscriber<List<ByteBuffer>>, AutoCloseable {
  private final String from;
  private final Duration patience;

  // Guarded by this.
  private final ArrayDeque<ByteBuffer> come = new ArrayDeque<>();
  private Flow.Subscription subscription;
  private boolean isAsked;
  private boolean hasEnded;
  private boolean isClosed;
  private Throwable failure;

  /**
   * @param from the URL, for messages
   * @param patience how long a read waits for the next bytes
   */
  Body(String from, Duration patience) {
    this.from = from;
    this.patience = patience;
  }

  @Override
  public synchronized void onSubscribe(Flow.Subscription to) {
    subscription = to;
    if (isClosed) {
      to.cancel();
    }
    notifyAll();
  }

  @Override
  public synchronized void onNext(List<ByteBuffer> buffers) {
    come.addAll(buffers);
    isAsked = false;
    notifyAll();
  }

  @Override
  public synchronized void onError(Throwable cause) {
    failure = cause;
    hasEnded = true;
    notifyAll();
  }

  @Override
  public synchronized void onComplete() {
    hasEnded = true;
    notifyAll();
  }

  /**
   * Appends up to {@code length} bytes.
   *
   * @return how many; fewer only at the end of the body
   * @throws FdtException UNREACHABLE when it was cut off, TIMEOUT, CANCELLED
   */
  int read(ByteBuf target, int length) throws FdtException {
    int got = 0;
    while (got < length) {
      ByteBuffer next = next();
      if (next == null) {
        break;
      }
      int part = Math.min(length - got, next.remaining());
      ByteBuffer slice = next.slice(next.position(), part);
      next.position(next.position() + part);
      target.writeBytes(slice);
      got += part;
    }
    return got;
  }

  /** Whether no byte follows; waits for the next one. */
  boolean isAtEnd() throws FdtException {
    return next() == null;
  }

  /** The buffer with the next bytes; null at the end. */
  private synchronized ByteBuffer next() throws FdtException {
    long deadline = System.nanoTime() + patience.toNanos();
    while (true) {
      while (!come.isEmpty() && !come.peek().hasRemaining()) {
        come.remove();
      }
      if (isClosed) {
        throw new FdtException(ErrorCode.CANCELLED, "'" + from + "' was closed before it was read");
      }
      if (!come.isEmpty()) {
        return come.peek();
      }
      if (hasEnded) {
        if (failure != null) {
          throw new FdtException(
              ErrorCode.UNREACHABLE,
              "'" + from + "' was cut off by the server or the network; run the command again",
              failure);
        }
        return null;
      }
      await(deadline);
    }
  }

  @SuppressWarnings("WaitNotInLoop") // its caller has the loop
  private void await(long deadline) throws FdtException {
    if (subscription != null && !isAsked) {
      isAsked = true;
      subscription.request(1);
      if (!come.isEmpty() || hasEnded) {
        return; // it came at once, on this thread
      }
    }
    long millis = (deadline - System.nanoTime()) / 1_000_000;
    if (millis <= 0) {
      throw new FdtException(
          ErrorCode.TIMEOUT,
          "'%s' has sent nothing for %d s; run the command again"
              .formatted(from, patience.toSeconds()));
    }
    try {
      wait(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FdtException(ErrorCode.CANCELLED, "'" + from + "' was not read to its end", e);
    }
  }

  /** Ends the response; a connection with bytes left is closed. */
  @Override
  public synchronized void close() {
    isClosed = true;
    if (subscription != null && !hasEnded) {
      subscription.cancel();
    }
    come.clear();
    notifyAll();
  }
}
