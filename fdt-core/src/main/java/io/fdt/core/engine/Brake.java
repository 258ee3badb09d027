package io.fdt.core.engine;

/**
 * Stops the reading of streams while more waits for disks than the budget allows.
 *
 * <p>Not thread-safe: confined to the event loop of the session.
 */
final class Brake {
  private final StreamSet streams;
  private final long limitBytes;
  private long waitingBytes;
  private boolean pulled;

  Brake(StreamSet streams, long limitBytes) {
    this.streams = streams;
    this.limitBytes = limitBytes;
  }

  /** Whether streams are not read now. */
  boolean isPulled() {
    return pulled;
  }

  /** How much waits for disks. */
  long waitingBytes() {
    return waitingBytes;
  }

  /** How much of what may wait does, 0 to 1 and a little more. */
  double fill() {
    return (double) waitingBytes / limitBytes;
  }

  /** So much more waits for disks. */
  void add(long bytes) {
    waitingBytes += bytes;
    if (!pulled && waitingBytes > limitBytes) {
      pulled = true;
      streams.setReading(false);
    }
  }

  /** So much has been dealt with. */
  void remove(long bytes) {
    waitingBytes -= bytes;
    if (pulled && waitingBytes <= limitBytes / 2) {
      pulled = false;
      streams.setReading(true);
    }
  }
}
