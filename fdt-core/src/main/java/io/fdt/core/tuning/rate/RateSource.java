package io.fdt.core.tuning.rate;

/** The rate limit of one end of a session, which changes over time. Thread-safe. */
public interface RateSource {
  /** No limit. */
  RateSource NONE = () -> 0;

  /** Bytes per second of all streams together, now; 0 for no limit. */
  long bytesPerSecond();

  /**
   * Reports the progress of the session, several times a second.
   *
   * @param wireBytes so far, of all streams, with headers
   */
  default void moved(long nowNanos, long wireBytes) {}

  /**
   * This limit, capped at another one.
   *
   * @param most bytes per second; 0 for no limit
   */
  default RateSource atMost(long most) {
    if (most == 0) {
      return this;
    }
    RateSource source = this;
    return new RateSource() {
      @Override
      public long bytesPerSecond() {
        long now = source.bytesPerSecond();
        return now == 0 ? most : Math.min(now, most);
      }

      @Override
      public void moved(long nowNanos, long wireBytes) {
        source.moved(nowNanos, wireBytes);
      }
    };
  }
}
