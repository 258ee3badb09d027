package io.fdt.core.transport.memory;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.util.ArrayDeque;

/**
 * One direction of a connection: the buffers that one end has sent and the other end has not read.
 *
 * <pre>
 *   send -> [buffer] [buffer] [buffer] -> pump -> Reader.read
 *           '--- more than 256 KiB ---'
 *                not writable until fewer than 128 KiB wait
 * </pre>
 *
 * <p>Methods may be called on any thread; the reader is called on its event loop, the sender is
 * told on its own.
 */
final class MemoryPipe {
  /** The same as over TCP. */
  private static final int HIGH_WATER = 256 << 10;

  private static final int LOW_WATER = 128 << 10;

  /** Bytes that a reader gets before others on its loop have their turn. */
  private static final int TURN = 1 << 20;

  /** What takes the bytes; called on its event loop. */
  interface Reader {
    /** Takes at least one of the bytes that are readable. Does not release the buffer. */
    void read(ByteBuf bytes);

    /** All was read that the sender has sent before it ended the pipe. */
    void ended();
  }

  private record Item(ByteBuf bytes, Runnable released) {}

  private final EventLoop senderLoop;
  private final EventLoop readerLoop;
  private final ArrayDeque<Item> queue = new ArrayDeque<>();
  private Runnable writable = () -> {};
  private Reader reader;
  private boolean reading;
  private boolean scheduled;
  private long waiting;
  private boolean full;
  private boolean ended;
  private boolean endTold;
  private boolean broken;

  MemoryPipe(EventLoop senderLoop, EventLoop readerLoop) {
    this.senderLoop = senderLoop;
    this.readerLoop = readerLoop;
  }

  /** Says who hears, on the sender's loop, that the pipe is writable again. */
  synchronized void onWritable(Runnable then) {
    writable = then;
  }

  /** Says who reads. Until then everything waits. */
  synchronized void open(Reader target) {
    reader = target;
    schedule();
  }

  synchronized void setReading(boolean on) {
    reading = on;
    schedule();
  }

  synchronized boolean isWritable() {
    return !full && !broken;
  }

  /**
   * Takes over the buffer.
   *
   * @param released runs on the sender's loop once the buffer is released
   */
  synchronized void send(ByteBuf bytes, Runnable released) {
    Item item = new Item(bytes, released);
    if (broken || ended) {
      giveBack(item);
      return;
    }
    queue.add(item);
    waiting += bytes.readableBytes();
    full |= waiting > HIGH_WATER;
    schedule();
  }

  /** The sender sends no more. Idempotent. */
  synchronized void end() {
    ended = true;
    schedule();
  }

  /** Drops what waits; nothing goes through any more. Idempotent. */
  synchronized void close() {
    if (!broken) {
      broken = true;
      Tasks.run(readerLoop, this::drop); // where nobody is reading the first one
    }
  }

  private synchronized void drop() {
    queue.forEach(this::giveBack);
    queue.clear();
  }

  private void giveBack(Item item) {
    Tasks.run(
        senderLoop,
        () -> {
          item.bytes.release();
          item.released.run();
        });
  }

  private void schedule() {
    if (reading && reader != null && !scheduled && !broken) {
      scheduled = true;
      Tasks.run(readerLoop, this::pump);
    }
  }

  private void pump() {
    int left = TURN;
    Item item;
    while ((item = next(left)) != null) {
      int before = item.bytes.readableBytes();
      reader.read(item.bytes);
      int taken = before - item.bytes.readableBytes();
      left -= taken;
      taken(item, taken);
    }
    if (isAtEnd()) {
      reader.ended();
    }
  }

  /** The buffer to read from now; null when the turn is over. */
  private synchronized Item next(int left) {
    if (reading && !broken && left <= 0) {
      Tasks.run(readerLoop, this::pump);
      return null;
    }
    Item item = reading && !broken ? queue.peek() : null;
    scheduled = item != null;
    return item;
  }

  private synchronized void taken(Item item, int count) {
    waiting -= count;
    if (!item.bytes.isReadable()) {
      giveBack(queue.remove());
    }
    if (full && waiting < LOW_WATER) {
      full = false;
      if (!broken) {
        Tasks.run(senderLoop, writable);
      }
    }
  }

  private synchronized boolean isAtEnd() {
    boolean tells = ended && !endTold && reading && !broken && queue.isEmpty();
    endTold |= tells;
    return tells;
  }
}
