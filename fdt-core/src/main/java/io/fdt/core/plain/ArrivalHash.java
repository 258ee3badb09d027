package io.fdt.core.plain;

import io.fdt.core.digest.PlainHash;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.Range;
import io.fdt.core.model.RangeSet;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.function.LongConsumer;

/**
 * The plain hash of one file whose blocks come in any order and on several threads.
 *
 * <pre>
 *   0 ---- hashed ----> next   [come]   gap   [come]        size
 * </pre>
 *
 * <p>The next block is hashed in memory. A block that arrives early is remembered by its range;
 * when the gap before it closes, it is read again, from the page cache as a rule. One thread hashes
 * at a time, on behalf of the others. When the calls for all bytes of the file have returned, all
 * bytes are hashed. Thread-safe. Memory: 64 KiB, 24 bytes for each gap, and 1 MiB while it reads
 * again.
 */
final class ArrivalHash {
  private static final int STEP = 1 << 20;

  /** Zeros hashed in one step: 0.1 s for MD5. */
  private static final long STEP_OF_HOLES = 64 << 20;

  /** Reads written bytes again. */
  interface Content {
    /** Appends {@code length} bytes from {@code offset} on, or throws. */
    void read(ByteBuf target, int length, long offset) throws FdtException;
  }

  private final long size;
  private final PlainHash hash;
  private final LongConsumer progress;
  private final RangeSet come = new RangeSet();
  private final RangeSet holes = new RangeSet();
  private long next;
  private boolean busy;
  private boolean finishing;
  private byte[] value;
  private volatile boolean cancelled;

  /**
   * @param checksum not NONE
   * @param size bytes of the file
   * @param progress receives the number of re-read or zero bytes; any thread
   */
  ArrivalHash(Checksum checksum, long size, LongConsumer progress) {
    this.size = size;
    this.progress = progress;
    this.hash = new PlainHash(checksum, size);
  }

  /** Adds a range of zeros, which need not be read. */
  synchronized void addHole(Range hole) {
    long end = Math.min(size, hole.end());
    if (hole.start() < end) {
      holes.add(hole.start(), end);
      come.add(hole.start(), end);
    }
  }

  /**
   * Adds a block; ranges already known are skipped.
   *
   * @param index its start in {@code block}, whose reader and writer index do not move
   * @param offset in the file
   * @throws FdtException an early block cannot be read again
   */
  void add(ByteBuf block, int index, int length, long offset, Content content) throws FdtException {
    long end = Math.min(size, offset + length);
    if (!take(offset, end)) {
      return;
    }
    boolean hasLeft = false;
    try {
      if (offset <= next && next < end) {
        hash.update(block, index + (int) (next - offset), (int) (end - next));
        next = end;
      }
      hashWhatHasCome(content);
      hasLeft = true; // another thread may hash now
    } finally {
      if (!hasLeft) {
        leave();
      }
    }
  }

  /**
   * The hash of the whole file, all of which is readable by now.
   *
   * @throws FdtException it cannot be read
   */
  byte[] finish(Content content) throws FdtException {
    if (takeAll()) {
      try {
        hashWhatHasCome(content);
        if (next < size) {
          throw new FdtException(ErrorCode.CANCELLED, "hashing was cancelled");
        }
        byte[] whole = hash.finish();
        synchronized (this) {
          value = whole;
        }
      } finally {
        leave();
      }
    }
    synchronized (this) {
      return value.clone();
    }
  }

  /** Whether every byte is hashed. */
  synchronized boolean isComplete() {
    return value != null || (!busy && next == size);
  }

  /** Abandons the hash; a hashing thread stops soon. Idempotent. */
  void cancel() {
    cancelled = true;
  }

  /**
   * Records a range.
   *
   * @return whether the caller becomes the hashing thread
   */
  private synchronized boolean take(long start, long end) {
    if (value != null || start >= end) {
      return false;
    }
    come.add(start, end);
    if (busy || come.prefix() <= next) {
      return false;
    }
    busy = true;
    return true;
  }

  /**
   * Waits until no thread hashes.
   *
   * @return whether anything is left to hash
   */
  private synchronized boolean takeAll() {
    boolean interrupted = false;
    while (busy) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true; // the hashing thread ends soon
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (value != null) {
      return false;
    }
    busy = true;
    finishing = true;
    if (size > 0) {
      come.add(0, size);
    }
    return true;
  }

  private synchronized void leave() {
    busy = false;
    finishing = false;
    notifyAll();
  }

  private void hashWhatHasCome(Content content) throws FdtException {
    ByteBuf buffer = null;
    try {
      for (Range range = following(); range != null; range = following()) {
        if (isHole(range)) {
          hash.zeros(range.length());
        } else {
          if (buffer == null) {
            buffer = Unpooled.directBuffer(STEP, STEP);
          }
          int length = Math.toIntExact(range.length());
          content.read(buffer.clear(), length, range.start());
          hash.update(buffer, 0, length);
        }
        next = range.end();
        progress.accept(range.length());
      }
    } finally {
      if (buffer != null) {
        buffer.release();
      }
    }
  }

  private synchronized boolean isHole(Range range) {
    return holes.contains(range.start(), range.end());
  }

  /**
   * The next range to hash: at most {@link #STEP} bytes, or {@link #STEP_OF_HOLES} of a hole. Null
   * when there is none; then the caller stops hashing, unless it is in {@link #finish}, and the
   * next caller takes over.
   */
  private synchronized Range following() {
    long end = cancelled ? next : come.prefix();
    if (end <= next) {
      if (!finishing) {
        leave();
      }
      return null;
    }
    for (Range hole : holes.ranges()) {
      if (hole.start() <= next && next < hole.end()) {
        return new Range(next, Math.min(hole.end(), next + STEP_OF_HOLES));
      }
      if (hole.start() > next) {
        end = Math.min(end, hole.start());
        break;
      }
    }
    return new Range(next, Math.min(end, next + STEP));
  }
}
