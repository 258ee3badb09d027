package io.fdt.core.receive;

import io.fdt.core.engine.StreamSet;
import java.util.function.Consumer;

/**
 * Stops the reading of streams while more waits for disks than the budget allows, or the sender is
 * held because it was too fast.
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

  /** Calls {@code listener} when reading of streams stops or goes on. */
  void whenChanged(Consumer<Boolean> listener) {
    elsewhere = listener;
  }

  /** Whether streams are not read now. */
  boolean isPulled() {
    return full || held;
  }

  /** How much waits for disks. */
  long waitingBytes() {
    return waitingBytes;
  }

  /** How much may. */
  long limitBytes() {
    return limitBytes;
  }

  /** How much of what may wait does, 0 to 1 and a little more. */
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

  /** Removes bytes that are dealt with. */
  void remove(long bytes) {
    waitingBytes -= bytes;
    if (waitingBytes <= limitBytes / 2) {
      set(false, held);
    }
  }

  /** Whether the sender has to wait, however little waits for disks. */
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
