package io.fdt.core.receive;

import io.fdt.core.engine.StreamSet;
import java.util.function.Consumer;

/**
 * Stops reading from streams while more bytes wait for disks than the budget allows, or while the
 * sender is paused because it was too fast.
 *
 * <p>Not thread-safe: confined to the event loop of the session.
 */
final class Backpressure {
  private final StreamSet streams;
  private final long limitBytes;
  private Consumer<Boolean> elsewhere = reading -> {};
  private long waitingBytes;
  private boolean full;
  private boolean held;

  Backpressure(StreamSet streams, long limitBytes) {
    this.streams = streams;
    this.limitBytes = limitBytes;
  }

  /** Calls {@code listener} when reading from streams stops or resumes. */
  void whenChanged(Consumer<Boolean> listener) {
    elsewhere = listener;
  }

  /** Whether reading from streams is stopped. */
  boolean isPulled() {
    return full || held;
  }

  /** Bytes that wait for disks. */
  long waitingBytes() {
    return waitingBytes;
  }

  /** The limit of {@link #waitingBytes}. */
  long limitBytes() {
    return limitBytes;
  }

  /** The share of the limit in use, 0 to slightly above 1. */
  double fill() {
    return (double) waitingBytes / limitBytes;
  }

  /** Adds bytes that wait for disks. */
  void add(long bytes) {
    waitingBytes += bytes;
    if (waitingBytes > limitBytes) {
      set(true, held);
    }
  }

  /** Removes bytes that no longer wait. */
  void remove(long bytes) {
    waitingBytes -= bytes;
    if (waitingBytes <= limitBytes / 2) {
      set(false, held);
    }
  }

  /** Sets whether the sender is paused, however few bytes wait for disks. */
  void hold(boolean wanted) {
    set(full, wanted);
  }

  private void set(boolean nowFull, boolean nowHeld) {
    boolean was = isPulled();
    full = nowFull;
    held = nowHeld;
    if (isPulled() != was) {
      streams.setReading(was);
      elsewhere.accept(was);
    }
  }
}
