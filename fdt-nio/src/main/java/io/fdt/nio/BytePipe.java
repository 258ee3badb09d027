package io.fdt.nio;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Objects;

/**
 * Bytes from one thread to another, in order, with a bound. Either end can be closed by any thread,
 * which wakes the other one. Unlike {@link java.io.PipedInputStream} it does not depend on which
 * threads are alive. Memory: its capacity.
 *
 * <pre>
 *   output().write -> [ring] -> input().read
 *   finish(null): the reader sees the end
 *   finish(e):    the reader gets e
 *   abandon():    the writer fails
 * </pre>
 */
final class BytePipe {
  private final byte[] ring;

  // Guarded by this.
  private int start;
  private int count;
  private boolean finished;
  private IOException failure;
  private boolean abandoned;

  /**
   * @param capacity bytes that may wait
   */
  BytePipe(int capacity) {
    this.ring = new byte[capacity];
  }

  /** Ends the input. Waiting bytes can still be read, except after a failure. Idempotent. */
  synchronized void finish(IOException cause) {
    if (!finished) {
      finished = true;
      failure = cause;
      notifyAll();
    }
  }

  /** Closes the reading end: writers fail from now on. Idempotent. */
  synchronized void abandon() {
    abandoned = true;
    notifyAll();
  }

  private synchronized void write(byte[] source, int offset, int length)
      throws IOException, InterruptedException {
    int from = offset;
    int left = length;
    while (left > 0) {
      while (count == ring.length && !abandoned && !finished) {
        wait();
      }
      if (abandoned || finished) {
        throw new IOException("broken pipe: the reading end is closed");
      }
      int end = (start + count) % ring.length;
      int piece = Math.min(left, Math.min(ring.length - count, ring.length - end));
      System.arraycopy(source, from, ring, end, piece);
      count += piece;
      from += piece;
      left -= piece;
      notifyAll();
    }
  }

  private synchronized int read(byte[] target, int offset, int length)
      throws IOException, InterruptedException {
    while (count == 0 && !finished && !abandoned) {
      wait();
    }
    if (failure != null) {
      throw failure;
    }
    if (abandoned) {
      throw new IOException("it is closed");
    }
    if (count == 0) {
      return -1;
    }
    int piece = Math.min(length, Math.min(count, ring.length - start));
    System.arraycopy(ring, start, target, offset, piece);
    start = (start + piece) % ring.length;
    count -= piece;
    notifyAll();
    return piece;
  }

  private static IOException interrupted(InterruptedException cause) {
    Thread.currentThread().interrupt();
    java.io.InterruptedIOException error = new java.io.InterruptedIOException("interrupted");
    error.initCause(cause);
    return error;
  }

  /** The writing end. Closing it does nothing: {@link #finish} ends it. */
  OutputStream output() {
    return new OutputStream() {
      @Override
      public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
      }

      @Override
      public void write(byte[] source, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, source.length);
        try {
          BytePipe.this.write(source, offset, length);
        } catch (InterruptedException e) {
          throw interrupted(e);
        }
      }
    };
  }

  /** The reading end. */
  InputStream input() {
    return new InputStream() {
      @Override
      public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
      }

      @Override
      public int read(byte[] target, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, target.length);
        try {
          return length == 0 ? 0 : BytePipe.this.read(target, offset, length);
        } catch (InterruptedException e) {
          throw interrupted(e);
        }
      }
    };
  }
}
