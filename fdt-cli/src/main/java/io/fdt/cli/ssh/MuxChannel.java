package io.fdt.cli.ssh;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.IntConsumer;

/**
 * One byte stream each way within a {@link Mux}, with a window of its own: the other end sends only
 * as much as this end has room for, so a slow reader does not block other channels.
 *
 * <p>One thread reads, one thread writes, the thread of the mux delivers.
 */
final class MuxChannel {
  /**
   * Bytes that the other end may send before this end reads them. Four channels of 1 MiB fill the
   * window of an SSH connection (2 MiB with OpenSSH). Memory: this much for each channel with a
   * slow reader.
   */
  static final int WINDOW_BYTES = 1 << 20;

  /** Credit returned in one frame: a quarter of the window. */
  private static final int CREDIT_STEP_BYTES = WINDOW_BYTES / 4;

  private final MuxWriter mux;
  private final IntConsumer closed;
  private final int number;

  // Guarded by this.
  private final Queue<byte[]> arrived = new ArrayDeque<>();
  private int arrivedBytes;
  private int takenBytes;
  private int credit = WINDOW_BYTES;
  private boolean ended;
  private IOException reset;

  /**
   * @param closed takes the number of the channel when this end resets it
   */
  MuxChannel(MuxWriter mux, IntConsumer closed, int number) {
    this.mux = mux;
    this.closed = closed;
    this.number = number;
  }

  /**
   * The next bytes; null at the end. Waits for them.
   *
   * @throws IOException the channel was reset, or the mux has ended
   */
  byte[] take() throws IOException, InterruptedException {
    byte[] bytes;
    int creditToGive = 0;
    synchronized (this) {
      while (arrived.isEmpty() && !ended && reset == null) {
        wait();
      }
      bytes = arrived.poll();
      if (bytes == null) {
        if (ended) {
          return null;
        }
        throw reset;
      }
      arrivedBytes -= bytes.length;
      takenBytes += bytes.length;
      if (takenBytes >= CREDIT_STEP_BYTES) {
        creditToGive = takenBytes;
        takenBytes = 0;
      }
    }
    if (creditToGive > 0) {
      mux.send(MuxFrame.Kind.CREDIT, number, creditToGive);
    }
    return bytes;
  }

  /**
   * Waits until the other end has room, and reserves it.
   *
   * @return from 1 to {@code wanted}
   */
  synchronized int reserve(int wanted) throws IOException, InterruptedException {
    while (credit == 0 && reset == null) {
      wait();
    }
    if (reset != null) {
      throw reset;
    }
    int granted = Math.min(wanted, credit);
    credit -= granted;
    return granted;
  }

  /** Sends a frame of DATA whose payload follows the space for its header. */
  void send(byte[] frame, int payloadBytes) throws IOException {
    MuxFrame.putHeader(frame, MuxFrame.Kind.DATA, number, payloadBytes);
    mux.send(frame, MuxFrame.HEADER_BYTES + payloadBytes);
  }

  /** Returns reserved room that is not needed. */
  synchronized void unreserve(int bytes) {
    credit += bytes;
    notifyAll();
  }

  /** Ends this direction. */
  void end() throws IOException {
    mux.send(MuxFrame.Kind.END, number, 0);
  }

  /** Ends both directions at both ends. Idempotent. */
  void reset() {
    closed.accept(number);
    if (failed(new IOException("the connection through SSH was closed"))) {
      try {
        mux.send(MuxFrame.Kind.RESET, number, 0);
      } catch (IOException e) {
        return; // the mux has ended, and the channel with it
      }
    }
  }

  /** Fails the channel; false if it has failed before. */
  synchronized boolean failed(IOException cause) {
    boolean isFirst = reset == null;
    if (isFirst) {
      reset = cause;
      notifyAll();
    }
    return isFirst;
  }

  /** Queues bytes of the other end; false when they exceed its credit. */
  synchronized boolean deliver(byte[] bytes) {
    if (arrivedBytes + bytes.length > WINDOW_BYTES) {
      return false;
    }
    if (reset == null && bytes.length > 0) {
      arrived.add(bytes);
      arrivedBytes += bytes.length;
      notifyAll();
    }
    return true;
  }

  /** Adds room at the other end; false if that exceeds the window. */
  synchronized boolean addCredit(int bytes) {
    if (bytes > WINDOW_BYTES - credit) {
      return false;
    }
    credit += bytes;
    notifyAll();
    return true;
  }

  synchronized void deliverEnd() {
    ended = true;
    notifyAll();
  }
}
